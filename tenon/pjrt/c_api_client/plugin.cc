#include "tenon/pjrt/c_api_client/plugin.h"

#include <dlfcn.h>

#include <utility>

#include "tenon/pjrt/c_api/named_values.h"
#include "tenon/pjrt/c_api/proto.h"
#include "tenon/pjrt/c_api_client/client.h"
#include "tenon/pjrt/c_api_client/topology.h"

namespace tenon::pjrt::c_api_client {

StatusOr<Plugin> Plugin::Load(const std::string& path) {
  // dlopen would search the system's folders for a path without a slash.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return NotFound("cannot load the plugin '" + path +
                    "': " + (why ? why : "unknown reason"));
  }
  auto get_api = reinterpret_cast<PJRT_GetApi>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) {
    dlclose(library);
    return InvalidArgument("'" + path +
                           "' is not a PJRT plugin: it does not export GetPjrtApi");
  }
  return FromApi(get_api(), path);
}

StatusOr<Plugin> Plugin::FromApi(const PJRT_Api* api, std::string_view name) {
  std::string quoted = "'" + std::string(name) + "'";
  if (api == nullptr) {
    return InvalidArgument("the plugin " + quoted + " has no function table");
  }
  if (api->struct_size < offsetof(PJRT_Api, PJRT_Plugin_Initialize) + sizeof(void*)) {
    return InvalidArgument("the function table of the plugin " + quoted + " has only " +
                           std::to_string(api->struct_size) + " bytes");
  }
  if (api->pjrt_api_version.major_version != PJRT_API_MAJOR) {
    return Unimplemented("the PJRT API of the plugin " + quoted + " is " +
                         std::to_string(api->pjrt_api_version.major_version) + "." +
                         std::to_string(api->pjrt_api_version.minor_version) +
                         "; major version " + std::to_string(PJRT_API_MAJOR) +
                         " is supported");
  }
  if (!api->PJRT_Error_Destroy || !api->PJRT_Error_Message || !api->PJRT_Error_GetCode) {
    return InvalidArgument("the plugin " + quoted + " lacks PJRT_Error functions");
  }
  Plugin plugin(api);
  TENON_PJRT_ARGS(args, PJRT_Plugin_Initialize);
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(plugin.table_, PJRT_Plugin_Initialize, args)
                            .WithPrefix("initializing the plugin " + quoted));
  return plugin;
}

int Plugin::api_major_version() const { return api()->pjrt_api_version.major_version; }
int Plugin::api_minor_version() const { return api()->pjrt_api_version.minor_version; }

StatusOr<NamedValueMap> Plugin::Attributes() const {
  TENON_PJRT_ARGS(args, PJRT_Plugin_Attributes);
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Plugin_Attributes, args));
  return c_api::ReadNamedValues(args.attributes, args.num_attributes);
}

StatusOr<std::unique_ptr<Client>> Plugin::CreateClient(
    const ClientOptions& options) const {
  return MakeClient(table_, options);
}

StatusOr<std::unique_ptr<Topology>> Plugin::CreateTopology(
    std::string_view name, const NamedValueMap& options) const {
  c_api::NamedValueArray values(options);
  TENON_PJRT_ARGS(args, PJRT_TopologyDescription_Create);
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  args.create_options = values.data();
  args.num_options = values.size();
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_TopologyDescription_Create, args));
  return MakeTopology(table_, args.topology, /*owned=*/true);
}

StatusOr<std::unique_ptr<Topology>> Plugin::DeserializeTopology(
    std::string_view bytes) const {
  TENON_PJRT_ARGS(args, PJRT_TopologyDescription_Deserialize);
  args.serialized_topology = bytes.data();
  args.serialized_topology_size = bytes.size();
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_TopologyDescription_Deserialize, args));
  return MakeTopology(table_, args.topology, /*owned=*/true);
}

std::string MakeCompileOptions(int num_replicas, int num_partitions) {
  // Field numbers of xla.CompileOptionsProto.executable_build_options and of its members.
  constexpr int kBuildOptions = 3, kDeviceOrdinal = 1, kNumReplicas = 4,
                kNumPartitions = 5;
  c_api::ProtoWriter build;
  build.Int(kDeviceOrdinal, -1);
  build.Int(kNumReplicas, num_replicas);
  build.Int(kNumPartitions, num_partitions);
  c_api::ProtoWriter options;
  options.Bytes(kBuildOptions, std::move(build).Take());
  return std::move(options).Take();
}

}  // namespace tenon::pjrt::c_api_client
