// Extensions of a plugin by type. An extension of an older plugin has fewer members.
// Those it does not have are errors with code UNIMPLEMENTED, not calls of random
// addresses.
//
//   auto layouts = plugin.extension<PJRT_Layouts_Extension>();
//   if (layouts &&
//   layouts->has(&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy))
//
// For an extension that is not listed here, specialise pjrt::extension_traits.
#ifndef TENON_PJRT_CPP_EXTENSIONS_HPP_
#define TENON_PJRT_CPP_EXTENSIONS_HPP_

#include <string>
#include <string_view>
#include <utility>

#include "tenon/pjrt/abi/abi_version_extension.h"
#include "tenon/pjrt/abi/ffi_extension.h"
#include "tenon/pjrt/abi/layouts_extension.h"
#include "tenon/pjrt/abi/memory_descriptions_extension.h"
#include "tenon/pjrt/abi/profiler_extension.h"
#include "tenon/pjrt/abi/raw_buffer_extension.h"
#include "tenon/pjrt/abi/shardings_extension.h"
#include "tenon/pjrt/abi/stream_extension.h"
#include "tenon/pjrt/cpp/client.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

template <typename E>
struct extension_traits;
#define TENON_PJRT_EXTENSION_TYPE(name)                                     \
  template <>                                                               \
  struct extension_traits<PJRT_##name##_Extension> {                        \
    static constexpr PJRT_Extension_Type type = PJRT_Extension_Type_##name; \
    static constexpr const char* name_text = "PJRT_" #name "_Extension";    \
  }
TENON_PJRT_EXTENSION_TYPE(AbiVersion);
TENON_PJRT_EXTENSION_TYPE(FFI);
TENON_PJRT_EXTENSION_TYPE(Layouts);
TENON_PJRT_EXTENSION_TYPE(MemoryDescriptions);
TENON_PJRT_EXTENSION_TYPE(Profiler);
TENON_PJRT_EXTENSION_TYPE(RawBuffer);
TENON_PJRT_EXTENSION_TYPE(Shardings);
TENON_PJRT_EXTENSION_TYPE(Stream);
#undef TENON_PJRT_EXTENSION_TYPE

// A view of a plugin's extension of struct type E, whose plugin may have an older
// version.
template <typename E>
class Extension {
 public:
  static Result<Extension> find(const detail::PluginState& plugin) {
    using Traits = extension_traits<E>;
    const PJRT_Extension_Base* base = plugin.api.find_extension(Traits::type);
    if (!base) {
      return Error(PJRT_Error_Code_NOT_FOUND, "the plugin does not have this extension",
                   Traits::name_text, plugin.path);
    }
    return Extension(plugin, reinterpret_cast<const E*>(base));
  }

  // The bytes that the plugin's extension has.
  size_t size() const { return extension_->base.struct_size; }
  template <typename Function>
  bool has(Function E::* member) const {
    return raw::member_or_null(extension_, size(), member) != nullptr;
  }
  // Calls a function of the extension. Sets the size of `args`, whose other members the
  // caller sets. `name` is for messages.
  template <typename Args>
  Error call(PJRT_Error* (*E::*member)(Args*), const char* name, Args& args) const {
    auto function = raw::member_or_null(extension_, size(), member);
    if (!function) {
      return Error(PJRT_Error_Code_UNIMPLEMENTED,
                   std::string("the plugin's ") + extension_traits<E>::name_text +
                       " of " + std::to_string(size()) +
                       " bytes does not have this function",
                   name, plugin_->path);
    }
    args.struct_size = sizeof(Args);  // tail padding is zero, as an absent member is
    raw::Error error(plugin_->api.table(), name, function(&args));
    if (error) return plugin_->take(std::move(error));
    return {};
  }

 private:
  Extension(const detail::PluginState& plugin, const E* extension)
      : plugin_(&plugin), extension_(extension) {}

  const detail::PluginState* plugin_;
  const E* extension_;
};

// The layout that the client's devices prefer for an array, as text: "{1,0}" is
// row-major.
inline Result<std::string> default_layout(const Client& client, ElementType type,
                                          Dims dims) {
  using E = PJRT_Layouts_Extension;
  auto layouts = Extension<E>::find(client.state().plugin());
  if (!layouts) return std::move(layouts).error();
  PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args get{};
  get.client = client.get();
  get.type = static_cast<PJRT_Buffer_Type>(type);
  get.dims = dims.get().data();
  get.num_dims = dims.rank();
  Error error = layouts->call(&E::PJRT_Layouts_PJRT_Client_GetDefaultLayout,
                              "PJRT_Layouts_PJRT_Client_GetDefaultLayout", get);
  if (error) return error;
  PJRT_Layouts_MemoryLayout_Serialize_Args serialize{};
  serialize.layout = get.layout;
  error = layouts->call(&E::PJRT_Layouts_MemoryLayout_Serialize,
                        "PJRT_Layouts_MemoryLayout_Serialize", serialize);
  std::string text;
  if (!error) {
    text = detail::view(serialize.serialized_bytes, serialize.serialized_bytes_size);
    serialize.serialized_layout_deleter(serialize.serialized_layout);
  }
  PJRT_Layouts_MemoryLayout_Destroy_Args destroy{};
  destroy.layout = get.layout;
  (void)layouts->call(&E::PJRT_Layouts_MemoryLayout_Destroy,
                      "PJRT_Layouts_MemoryLayout_Destroy", destroy);
  if (error) return error;
  return text;
}

// Registers an XLA FFI handler (an XLA_FFI_Handler*) for custom calls named `target`.
inline Error register_ffi_handler(const Client& client, std::string_view target,
                                  void* handler) {
  using E = PJRT_FFI_Extension;
  auto ffi = Extension<E>::find(client.state().plugin());
  if (!ffi) return std::move(ffi).error();
  Result<std::string> platform = client.platform_name();
  if (!platform) return std::move(platform).error();
  PJRT_FFI_Register_Handler_Args args{};
  args.target_name = target.data();
  args.target_name_size = target.size();
  args.handler = handler;
  args.platform_name = platform->data();
  args.platform_name_size = platform->size();
  return ffi->call(&E::register_handler, "PJRT_FFI_Register_Handler", args);
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_EXTENSIONS_HPP_
