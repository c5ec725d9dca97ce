// The topology of a local client. It also exists without the client. Immutable.
#ifndef TENON_PJRT_CLIENT_LOCAL_TOPOLOGY_H_
#define TENON_PJRT_CLIENT_LOCAL_TOPOLOGY_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/pjrt/client/create_options.h"
#include "tenon/pjrt/client/local_executable.h"
#include "tenon/pjrt/client/local_platform.h"
#include "tenon/pjrt/client/topology_exchange.h"
#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt {

// The version of Tenon that compiles and runs the programs.
std::string TenonVersion();

// What this process tells the other processes of its job. `options` have been checked.
StatusOr<NodeDescription> DescribeNode(const LocalPlatform& platform,
                                       const CreateOptions& options);

// Parses the create options, and checks them against this machine and the compiler of
// `platform`. INVALID_ARGUMENT, naming the option, if one is invalid.
StatusOr<CreateOptions> ReadCreateOptions(const LocalPlatform& platform,
                                          const NamedValueMap& values);

class LocalTopology final : public Topology {
 public:
  // `platform` must outlive the topology. Without the nodes of the job, it describes as
  // many as the options say, all like this one.
  LocalTopology(const LocalPlatform& platform, CreateOptions options,
                JobDescription job = {});

  std::string_view platform_name() const override { return name_; }
  std::string_view platform_version() const override { return version_; }
  std::span<const DeviceDescription> devices() const override { return devices_; }
  const NamedValueMap& attributes() const override { return attributes_; }
  StatusOr<uint64_t> Fingerprint() const override;
  StatusOr<std::string> Serialize() const override;
  StatusOr<std::shared_ptr<Executable>> Compile(const Program& program,
                                                std::string_view options) override;

  // Compile with a more specific result type. `tiles` may be null.
  StatusOr<std::shared_ptr<LocalExecutable>> CompileImage(
      const Program& program, std::string_view options,
      compiler::TileChoices* tiles = nullptr);
  const CreateOptions& options() const { return options_; }
  const LocalPlatform& platform() const { return platform_; }
  const JobDescription& job() const { return job_; }
  // Where code that drivers generate is kept; null if it is not.
  const device::CodeStore* store() const { return store_.get(); }

  // What programs are compiled for. The first call may look for the hardware; no other
  // method but Compile and Fingerprint needs it.
  const std::string& Target() const;

 private:
  void AddDevices(const NodeDescription& node, int process_index);

  const LocalPlatform& platform_;
  const CreateOptions options_;
  std::unique_ptr<device::CodeStore> store_;
  mutable std::once_flag target_found_;
  mutable std::string target_;
  JobDescription job_;
  std::string name_;
  std::string version_;
  std::vector<DeviceDescription> devices_;
  NamedValueMap attributes_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_TOPOLOGY_H_
