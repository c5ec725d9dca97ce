// The kernels of a program on NVIDIA's GPUs, from PTX that the driver assembles.
#ifndef TENON_DEVICES_CUDA_KERNELS_H_
#define TENON_DEVICES_CUDA_KERNELS_H_

#include <memory>
#include <string>
#include <vector>

#include "tenon/devices/cuda/context.h"
#include "tenon/devices/streams/stream.h"

namespace tenon::cuda {

class KernelLoader final : public streams::KernelLoader {
 public:
  // `wait`: launches wait for their kernel, so that an error names it. `graphs`: what is
  // repeated becomes a graph, unless launches wait.
  KernelLoader(std::vector<std::unique_ptr<Context>> contexts, std::string target,
               bool wait, bool graphs)
      : contexts_(std::move(contexts)),
        target_(std::move(target)),
        wait_(wait),
        graphs_(graphs) {}

  const std::vector<std::unique_ptr<Context>>& contexts() const { return contexts_; }
  std::string format() const override { return "ptx"; }
  std::string missing() const override {
    return "PTX for an NVIDIA GPU; compile it for target " + target_;
  }
  // FAILED_PRECONDITION, with the assembler's log, if the driver refuses the PTX.
  StatusOr<std::unique_ptr<streams::Kernels>> Load(
      const streams::KernelSource& source) const override;

 private:
  const std::vector<std::unique_ptr<Context>> contexts_;  // of all devices
  const std::string target_;
  const bool wait_, graphs_;
};

}  // namespace tenon::cuda

#endif  // TENON_DEVICES_CUDA_KERNELS_H_
