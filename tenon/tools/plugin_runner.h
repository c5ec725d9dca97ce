// Runs a program on devices of a plugin, with literals as arguments and results. One
// thread at a time.
#ifndef TENON_TOOLS_PLUGIN_RUNNER_H_
#define TENON_TOOLS_PLUGIN_RUNNER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/tools/program_file.h"
#include "tenon/types/literal.h"

namespace tenon::tools {

class PluginRunner {
 public:
  static StatusOr<PluginRunner> Create(const std::string& plugin_path,
                                       const pjrt::NamedValueMap& options);

  // Compiles the program for the plugin's first replicas * partitions devices, or loads
  // it if it is serialized.
  Status Load(const ProgramFile& program, int64_t replicas, int64_t partitions);

  // Copies the arguments of each device to it, for the following runs.
  Status SetArguments(std::span<const std::vector<Literal>> arguments);

  // Runs the program once. Returns the wall time in seconds from the call until the
  // results are ready. With `keep_arguments` no argument is donated, so that the
  // arguments can be used again.
  StatusOr<double> Run(bool keep_arguments);

  // The results of the last run, by device.
  StatusOr<std::vector<std::vector<Literal>>> Results();

  const pjrt::Client& client() const { return *client_; }
  double compile_seconds() const { return compile_seconds_; }

 private:
  std::unique_ptr<pjrt::Client> client_;
  std::unique_ptr<pjrt::LoadedExecutable> executable_;
  std::vector<std::vector<std::unique_ptr<pjrt::Buffer>>> arguments_,
      results_;  // by device
  double compile_seconds_ = 0;
};

}  // namespace tenon::tools

#endif  // TENON_TOOLS_PLUGIN_RUNNER_H_
