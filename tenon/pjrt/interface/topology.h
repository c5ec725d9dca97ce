// The devices of a platform without a client, for queries and ahead-of-time compilation.
//
// Immutable and thread-safe. Spans and views live as long as the topology.
#ifndef TENON_PJRT_INTERFACE_TOPOLOGY_H_
#define TENON_PJRT_INTERFACE_TOPOLOGY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/interface/device_description.h"
#include "tenon/pjrt/interface/program.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt {

class Executable;

class Topology {
 public:
  virtual ~Topology() = default;

  virtual std::string_view platform_name() const = 0;
  virtual std::string_view platform_version() const = 0;
  virtual std::span<const DeviceDescription> devices() const = 0;
  virtual const NamedValueMap& attributes() const = 0;
  // Equal for topologies that run the same code. Part of the key of compilation caches.
  virtual StatusOr<uint64_t> Fingerprint() const = 0;
  // A byte string that PluginDescription::deserialize_topology can read.
  virtual StatusOr<std::string> Serialize() const = 0;
  // The default layout, minor to major, of buffers of this type.
  virtual StatusOr<std::vector<int64_t>> DefaultLayout(
      ElementType type, std::span<const int64_t> dims) const;
  // Compiles for this topology. `options` are the bytes of a CompileOptionsProto.
  virtual StatusOr<std::shared_ptr<Executable>> Compile(const Program& program,
                                                        std::string_view options) {
    (void)program;
    (void)options;
    return Unimplemented("this platform cannot compile without a client");
  }
};

// Dense row-major order: {rank-1, ..., 1, 0}.
std::vector<int64_t> RowMajorLayout(size_t rank);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_TOPOLOGY_H_
