#include "tenon/ffi/registry.h"

#include <algorithm>
#include <cstring>

#include "tenon/ffi/api.h"

namespace tenon::ffi {
namespace {

std::string Canonical(std::string_view platform) {
  std::string name(platform);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return name == "host" ? "cpu" : name;
}

bool Same(const HandlerBundle& a, const HandlerBundle& b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare &&
         a.initialize == b.initialize && a.execute == b.execute;
}

StatusOr<Metadata> ReadMetadata(const std::string& target, Handler* handler,
                                Stage stage) {
  Metadata metadata = {};
  metadata.struct_size = Metadata::kStructSize;
  metadata.api_version.struct_size = ApiVersion::kStructSize;
  MetadataExtension extension = {};
  extension.base.struct_size = MetadataExtension::kStructSize;
  extension.base.type = ExtensionType::kMetadata;
  extension.metadata = &metadata;
  CallFrame frame = {};
  frame.struct_size = CallFrame::kStructSize;
  frame.extension_start = &extension.base;
  frame.api = &GetApi();
  frame.stage = stage;
  frame.args.struct_size = BufferList::kStructSize;
  frame.rets.struct_size = BufferList::kStructSize;
  frame.attrs.struct_size = AttributeList::kStructSize;
  if (Status status = CallHandler(handler, &frame); !status.ok()) {
    return InvalidArgument(
        "the handler of custom call '" + target +
        "' failed when asked for its metadata: " + std::string(status.message()));
  }
  const ApiVersion& version = metadata.api_version;
  if (version.major_version != kApiMajor || version.minor_version > kApiMinor) {
    return InvalidArgument(
        "the handler of custom call '" + target + "' was built for FFI version " +
        std::to_string(version.major_version) + "." +
        std::to_string(version.minor_version) +
        ", which this plugin does not support; rebuild it for version " +
        std::to_string(kApiMajor) + "." + std::to_string(kApiMinor));
  }
  return metadata;
}

}  // namespace

Registry& Registry::Global() {
  // Never destroyed, because handlers may run during static destruction.
  static Registry* const registry = new Registry();
  return *registry;
}

Status Registry::RegisterHandler(std::string_view target, std::string_view platform,
                                 const HandlerBundle& bundle) {
  const std::string name(target);
  if (!bundle.execute) {
    return InvalidArgument("custom call '" + name + "' has no execute handler");
  }
  const std::pair<Handler*, Stage> stages[] = {{bundle.instantiate, Stage::kInstantiate},
                                               {bundle.prepare, Stage::kPrepare},
                                               {bundle.initialize, Stage::kInitialize},
                                               {bundle.execute, Stage::kExecute}};
  RegisteredHandler registered = {bundle, 0, kApiMinor};
  for (const auto& [handler, stage] : stages) {
    if (!handler) continue;
    TENON_ASSIGN_OR_RETURN(Metadata metadata, ReadMetadata(name, handler, stage));
    registered.traits |= metadata.traits;
    registered.api_minor =
        std::min(registered.api_minor, metadata.api_version.minor_version);
  }
  std::lock_guard lock(mutex_);
  auto [it, added] = handlers_.try_emplace({Canonical(platform), name}, registered);
  if (!added && !Same(it->second.bundle, bundle)) {
    return AlreadyExists("custom call '" + name + "' has another handler on platform " +
                         std::string(platform));
  }
  return OkStatus();
}

StatusOr<RegisteredHandler> Registry::FindHandler(std::string_view target,
                                                  std::string_view platform) const {
  std::lock_guard lock(mutex_);
  for (const std::string& name : {Canonical(platform), std::string("cpu")}) {
    auto it = handlers_.find({name, std::string(target)});
    if (it != handlers_.end()) return it->second;
  }
  std::string message = "custom call '" + std::string(target) +
                        "' has no handler on platform " + std::string(platform);
  if (target.starts_with("lapack_") || target.starts_with("xla_ffi_python_"))
    message += "; the package jax-tenon registers JAX's own handlers";
  else
    message += "; register one, e.g. with jax.ffi.register_ffi_target";
  return Unimplemented(std::move(message));
}

StatusOr<int64_t> Registry::RegisterType(std::string_view name, int64_t id,
                                         void (*deleter)(void* object)) {
  std::lock_guard lock(mutex_);
  for (const auto& [known_id, type] : types_) {
    if (type.name == name) {
      if (id == 0 || id == known_id) return known_id;
      return InvalidArgument("type '" + std::string(name) + "' has id " +
                             std::to_string(known_id) + ", not " + std::to_string(id));
    }
  }
  if (id == 0) {
    while (types_.contains(next_type_id_)) ++next_type_id_;
    id = next_type_id_++;
  }
  auto [it, added] = types_.try_emplace(id, Type{std::string(name), deleter});
  if (!added) {
    return AlreadyExists("type id " + std::to_string(id) + " belongs to type '" +
                         it->second.name + "'");
  }
  return id;
}

void (*Registry::TypeDeleter(int64_t id) const)(void* object) {
  std::lock_guard lock(mutex_);
  auto it = types_.find(id);
  return it == types_.end() ? nullptr : it->second.deleter;
}

}  // namespace tenon::ffi
