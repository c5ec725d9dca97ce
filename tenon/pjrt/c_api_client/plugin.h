// Loads any PJRT plugin and presents it as the C++ interface. This is the entry point of
// the client library.
//
//   TENON_ASSIGN_OR_RETURN(Plugin plugin, Plugin::Load("pjrt_plugin_tenon_cpu.so"));
//   TENON_ASSIGN_OR_RETURN(std::unique_ptr<Client> client, plugin.CreateClient({}));
//
// A Plugin is a view of the loaded library, which stays loaded for the life of the
// process. It is cheap to copy and may be used from any thread.
#ifndef TENON_PJRT_C_API_CLIENT_PLUGIN_H_
#define TENON_PJRT_C_API_CLIENT_PLUGIN_H_

#include <memory>
#include <string>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/pjrt/interface/named_value.h"
#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt::c_api_client {

class Plugin {
 public:
  // Loads and initializes the shared library. NOT_FOUND if it cannot be loaded,
  // INVALID_ARGUMENT if it is not a plugin, UNIMPLEMENTED if its API has another major
  // version. Errors name the path.
  static StatusOr<Plugin> Load(const std::string& path);
  // The same for a table that is already in the process. `name` is for messages.
  static StatusOr<Plugin> FromApi(const PJRT_Api* api, std::string_view name);

  int api_major_version() const;
  int api_minor_version() const;
  const PJRT_Api* api() const { return table_.api(); }

  StatusOr<NamedValueMap> Attributes() const;
  StatusOr<std::unique_ptr<Client>> CreateClient(const ClientOptions& options) const;
  StatusOr<std::unique_ptr<Topology>> CreateTopology(std::string_view name,
                                                     const NamedValueMap& options) const;
  StatusOr<std::unique_ptr<Topology>> DeserializeTopology(std::string_view bytes) const;

 private:
  explicit Plugin(const PJRT_Api* api) : table_(api) {}

  CallTable table_;
};

// The bytes of a CompileOptionsProto for `num_replicas` x `num_partitions` devices, which
// the client assigns by default.
std::string MakeCompileOptions(int num_replicas = 1, int num_partitions = 1);

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_PLUGIN_H_
