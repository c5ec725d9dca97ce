// Plugin: a PJRT plugin, loaded into the process.
#ifndef TENON_PJRT_CPP_PLUGIN_HPP_
#define TENON_PJRT_CPP_PLUGIN_HPP_

#include <dlfcn.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/pjrt/cpp/client.hpp"
#include "tenon/pjrt/cpp/extensions.hpp"
#include "tenon/pjrt/cpp/key_value_store.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// A view of the plugin, which stays loaded until the process ends. Cheap to copy.
class Plugin {
 public:
  // Loads and initializes a shared library. A path without a slash is a file of the
  // working folder; if there is none, the system's folders are searched.
  static Result<Plugin> load(const std::string& path) {
    std::string file = path;
    if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0) {
      file = "./" + path;
    }
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* why = dlerror();
      return Error(PJRT_Error_Code_NOT_FOUND, why ? why : "unknown reason", "dlopen",
                   path);
    }
    auto get_api = reinterpret_cast<PJRT_GetApi>(dlsym(library, "GetPjrtApi"));
    if (!get_api) {
      dlclose(library);
      return Error(PJRT_Error_Code_INVALID_ARGUMENT,
                   "the library is not a PJRT plugin: it does not export GetPjrtApi",
                   "dlsym", path);
    }
    return from_table(get_api(), path);
  }
  // The same for a function table that is already in the process. `name` is for messages.
  static Result<Plugin> from_table(const PJRT_Api* table, std::string_view name);

  const std::string& path() const { return state_->path; }
  const raw::Api& api() const { return state_->api; }
  int api_minor_version() const { return state_->api.minor_version(); }

  Result<NamedValues> attributes() const {
    raw::Args<raw::PJRT_Plugin_Attributes> args;
    if (Error error = state_->call(args)) return error;
    return detail::from_c(args.attributes, args.num_attributes);
  }
  // `store` is for jobs of several processes; the client keeps it.
  Result<Client> create_client(const NamedValues& options = {},
                               std::shared_ptr<KeyValueStore> store = nullptr) const {
    std::vector<PJRT_NamedValue> c_options = detail::to_c(options);
    raw::Args<raw::PJRT_Client_Create> args;
    args.create_options = c_options.data();
    args.num_options = c_options.size();
    if (store) detail::set_key_value_store(store.get(), args);
    if (Error error = state_->call(args)) return error;
    return Client(detail::ClientRef(
        new detail::ClientState(*state_, args.client, std::move(store))));
  }

  // The plugin's extension, such as extension<PJRT_Layouts_Extension>(); NOT_FOUND if it
  // has none of this type.
  template <typename E>
  Result<Extension<E>> extension() const {
    return Extension<E>::find(*state_);
  }

 private:
  explicit Plugin(const detail::PluginState* state) : state_(state) {}

  const detail::PluginState* state_;
};

inline Result<Plugin> Plugin::from_table(const PJRT_Api* table, std::string_view name) {
  if (const char* why = raw::Api::why_unusable(table)) {
    return Error(PJRT_Error_Code_INVALID_ARGUMENT,
                 std::string("the plugin cannot be used: ") + why, "GetPjrtApi", name);
  }
  // Each plugin is initialized once, also if several threads load it. Never destroyed,
  // because threads of plugins may outlive static objects.
  static std::mutex& mutex = *new std::mutex;
  static auto& loaded = *new std::vector<std::unique_ptr<detail::PluginState>>;
  std::lock_guard lock(mutex);
  for (const auto& state : loaded) {
    if (state->api.table() == table) return Plugin(state.get());
  }
  auto state = std::make_unique<detail::PluginState>(
      detail::PluginState{raw::Api(table), std::string(name)});
  raw::Args<raw::PJRT_Plugin_Initialize> args;
  if (Error error = state->call(args)) return error;
  loaded.push_back(std::move(state));
  return Plugin(loaded.back().get());
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_PLUGIN_HPP_
