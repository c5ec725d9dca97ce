#include "tenon/devices/cuda/kernels.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tenon/devices/cuda/graphs.h"
#include "tenon/devices/cuda/stream.h"

namespace tenon::cuda {
namespace {

// Local memory that a group has without asking for more.
constexpr uint32_t kStandardLocalBytes = 48 << 10;
constexpr size_t kMaxLog = 4000;  // bytes of the assembler's log in an error

class Kernels final : public streams::Kernels {
 public:
  Kernels(const streams::KernelSource& source,
          const std::vector<std::unique_ptr<Context>>& contexts, bool wait)
      : source_(source), contexts_(contexts), wait_(wait) {}
  ~Kernels() override {
    graphs_.clear();
    for (size_t d = 0; d < modules_.size(); ++d) {
      const Context::Current current(*contexts_[d]);
      contexts_[d]->driver().ModuleUnload(modules_[d]);
    }
  }

  Status Load(bool with_graphs) {
    for (const std::unique_ptr<Context>& context : contexts_) {
      const Context::Current current(*context);
      TENON_RETURN_IF_ERROR(LoadModule(*context));
      std::vector<CUfunction>& functions = functions_.emplace_back();
      for (size_t k = 0; k < source_.code.kernels.size(); ++k) {
        TENON_ASSIGN_OR_RETURN(functions.emplace_back(), Find(*context, k));
      }
    }
    for (size_t d = 0; with_graphs && d < contexts_.size(); ++d) {
      graphs_.push_back(
          std::make_unique<Graphs>(*contexts_[d], source_.code.kernels, functions_[d]));
    }
    return OkStatus();
  }

  StatusOr<std::shared_ptr<streams::Mark>> Launch(size_t device, streams::Stream& stream,
                                                  size_t kernel,
                                                  const uint64_t* arguments,
                                                  uint64_t num_groups) const override {
    const Context::Current current(*contexts_[device]);
    TENON_RETURN_IF_ERROR(LaunchOne(device, static_cast<Stream&>(stream).get(), kernel,
                                    arguments, num_groups));
    return std::shared_ptr<streams::Mark>();
  }

  bool takes_sequences() const override { return !wait_; }
  Status LaunchAll(size_t device, streams::Stream& stream,
                   const streams::Sequence& sequence) const override {
    const Context::Current current(*contexts_[device]);
    CUstream on = static_cast<Stream&>(stream).get();
    if (!graphs_.empty()) {
      const StatusOr<bool> started = graphs_[device]->Launch(on, sequence);
      if (!started.ok())
        return started.status().WithPrefix("program '" + source_.program + "'");
      if (*started) return OkStatus();
    }
    const uint64_t* words = sequence.words.data();
    for (const streams::Sequence::Item& item : sequence.items) {
      TENON_RETURN_IF_ERROR(LaunchOne(device, on, item.kernel, words, item.num_groups));
      words += source_.code.kernels[item.kernel].arguments.size();
    }
    return OkStatus();
  }

 private:
  // The context is current.
  Status LaunchOne(size_t device, CUstream on, size_t kernel, const uint64_t* arguments,
                   uint64_t num_groups) const {
    const DeviceKernel& facts = source_.code.kernels[kernel];
    const Context& context = *contexts_[device];
    const Driver& driver = context.driver();
    if (num_groups > kMaxGroups) {
      return ResourceExhausted(
          source_.NameOf(kernel) + " needs " + std::to_string(num_groups) +
          " groups; a GPU starts at most " + std::to_string(kMaxGroups));
    }
    // Scalars are in the low bytes of their words.
    constexpr size_t kInline = 64;
    std::array<void*, kInline> inline_pointers;
    std::vector<void*> more_pointers;
    void** pointers = inline_pointers.data();
    if (facts.arguments.size() > kInline) {
      more_pointers.resize(facts.arguments.size());
      pointers = more_pointers.data();
    }
    for (size_t i = 0; i < facts.arguments.size(); ++i) {
      pointers[i] = const_cast<uint64_t*>(&arguments[i]);
    }
    CUresult code = driver.LaunchKernel(
        functions_[device][kernel], static_cast<unsigned>(num_groups), 1, 1,
        facts.group_size, 1, 1, facts.dynamic_local_bytes, on, pointers, nullptr);
    if (code == CUDA_SUCCESS && wait_) code = driver.StreamSynchronize(on);
    if (code == CUDA_SUCCESS) return OkStatus();
    return context.Check(code, "the launch of " + source_.NameOf(kernel) + " with " +
                                   std::to_string(num_groups) + " groups of " +
                                   std::to_string(facts.group_size) + " work items");
  }

  Status LoadModule(const Context& context) {
    std::string log(kMaxLog, '\0');
    const int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    CUmodule module = nullptr;
    const CUresult code = context.driver().ModuleLoadDataEx(
        &module, source_.code.module.c_str(), std::size(options), options, values);
    Status status = context.Check(code, "assembling the kernels of program '" +
                                            source_.program + "' for " + context.name());
    if (status.ok()) {
      modules_.push_back(module);
      return status;
    }
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    if (log.empty()) return status;
    return Status(status.code(),
                  std::string(status.message()) + "; the driver's log: " + log);
  }

  StatusOr<CUfunction> Find(const Context& context, size_t kernel) const {
    const DeviceKernel& facts = source_.code.kernels[kernel];
    const Driver& driver = context.driver();
    CUfunction function = nullptr;
    const CUresult found =
        driver.ModuleGetFunction(&function, modules_.back(), facts.name.c_str());
    if (found == CUDA_ERROR_NOT_FOUND) {
      return DataLoss("the PTX has no " + source_.NameOf(kernel));
    }
    TENON_RETURN_IF_ERROR(context.Check(found, "looking up " + source_.NameOf(kernel)));
    TENON_RETURN_IF_ERROR(CheckArguments(context, function, kernel));
    if (facts.dynamic_local_bytes > kStandardLocalBytes) {
      TENON_RETURN_IF_ERROR(context.Check(
          driver.FuncSetAttribute(function,
                                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  static_cast<int>(facts.dynamic_local_bytes)),
          "asking for " + std::to_string(facts.dynamic_local_bytes) +
              " bytes of local memory for " + source_.NameOf(kernel)));
    }
    int most = 0;
    TENON_RETURN_IF_ERROR(context.Check(
        driver.FuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
        "asking for the facts of " + source_.NameOf(kernel)));
    if (facts.group_size > static_cast<uint32_t>(most)) {
      return FailedPrecondition(source_.NameOf(kernel) + " needs groups of " +
                                std::to_string(facts.group_size) + " work items, but " +
                                context.name() + " runs it with at most " +
                                std::to_string(most));
    }
    return function;
  }

  // Launches read as many arguments as the PTX has.
  Status CheckArguments(const Context& context, CUfunction function,
                        size_t kernel) const {
    const Driver& driver = context.driver();
    if (!driver.FuncGetParamInfo) return OkStatus();
    const size_t listed = source_.code.kernels[kernel].arguments.size();
    size_t taken = 0, offset = 0, size = 0;
    CUresult code = CUDA_SUCCESS;
    while (taken <= listed && code == CUDA_SUCCESS) {
      code = driver.FuncGetParamInfo(function, taken, &offset, &size);
      if (code == CUDA_SUCCESS) ++taken;
    }
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_INVALID_VALUE) {
      return context.Check(code,
                           "asking for the parameters of " + source_.NameOf(kernel));
    }
    if (taken == listed) return OkStatus();
    return DataLoss(source_.NameOf(kernel) + " takes " +
                    (taken > listed ? "more than " : "") +
                    std::to_string(std::min(taken, listed)) +
                    " arguments, but is listed with " + std::to_string(listed));
  }

  const streams::KernelSource source_;
  const std::vector<std::unique_ptr<Context>>& contexts_;
  const bool wait_;
  std::vector<CUmodule> modules_;                   // by device
  std::vector<std::vector<CUfunction>> functions_;  // by device and kernel
  std::vector<std::unique_ptr<Graphs>> graphs_;     // by device; empty without graphs
};

}  // namespace

StatusOr<std::unique_ptr<streams::Kernels>> KernelLoader::Load(
    const streams::KernelSource& source) const {
  auto kernels = std::make_unique<Kernels>(source, contexts_, wait_);
  TENON_RETURN_IF_ERROR(kernels->Load(graphs_ && !wait_));
  return std::unique_ptr<streams::Kernels>(std::move(kernels));
}

}  // namespace tenon::cuda
