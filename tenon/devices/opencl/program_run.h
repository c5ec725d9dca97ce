// One run of a program on one device: from its launcher, which enqueues commands, to the
// end of the last command. Used by one thread at a time.
#ifndef TENON_DEVICES_OPENCL_PROGRAM_RUN_H_
#define TENON_DEVICES_OPENCL_PROGRAM_RUN_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/launch.h"
#include "tenon/devices/opencl/context.h"
#include "tenon/devices/opencl/memory.h"
#include "tenon/devices/opencl/program.h"
#include "tenon/runtime/kernel_stream.h"
#include "tenon/runtime/runtime.h"

namespace tenon::opencl {

// What a run needs of its device. All must outlive the run.
struct RunDevice {
  size_t index = 0;  // in the client
  std::string name;  // for errors
  const Context* context = nullptr;
  cl_command_queue queue = nullptr;  // runs its commands in order
  Memory* memory = nullptr;
  const Memory* host_memory = nullptr;  // that kernels can access; null if there is none
  runtime::Runtime* runtime = nullptr;  // for launchers
};

// Device memory that is freed with the last reference.
class Block {
 public:
  static StatusOr<std::shared_ptr<Block>> Allocate(Memory& memory, size_t size);
  ~Block() { memory_.Free(address_, size_); }
  void* address() const { return address_; }
  size_t size() const { return size_; }

 private:
  Block(Memory& memory, void* address, size_t size)
      : memory_(memory), address_(address), size_(size) {}
  Memory& memory_;
  void* const address_;
  const size_t size_;
};

class ProgramRun final : public runtime::KernelStream {
 public:
  ProgramRun(const RunDevice& device, std::shared_ptr<const Program> program,
             const RunIds& ids);

  // Enqueues all commands of the run. `arena` has CodeObject::arena_bytes bytes, or is
  // null if the program needs none; the run keeps it. After an error the commands that
  // were enqueued before still run, so Complete must be called.
  Status Start(const device::LaunchBuffers& buffers, std::shared_ptr<Block> arena);
  // The first and the last step of Start, for programs whose launchers wait in
  // collectives. In between the launcher runs with the buffers and the arena of the run,
  // which is its stream. BeginAlone allocates the arena.
  Status BeginAlone(const device::LaunchBuffers& buffers);
  Status End();
  const RunBuffer* arguments() const { return arguments_.data(); }
  const RunBuffer* results() const { return results_.data(); }
  void* arena() const { return arena_ ? arena_->address() : nullptr; }
  // Marks the end of what has been enqueued. Null if the device does not accept that.
  EventRef Mark();
  // Waits for `mark`, which Mark returned. The error of a kernel if one failed; it names
  // the program and the kernel. Records the kernels if the process is traced.
  Status Complete(const EventRef& mark);

  // KernelStream:
  const void* constants() const override { return constants_; }
  Status Launch(int64_t kernel, const uint64_t* arguments, int64_t num_groups) override;
  Status Copy(void* to, const void* from, size_t bytes) override;
  Status Read(const void* from, void* to_host, size_t bytes) override;
  Status Write(void* to, const void* from_host, size_t bytes) override;

 private:
  struct Started {
    size_t kernel;
    EventRef event;
  };
  // The largest value that Write keeps until the device has read it.
  static constexpr size_t kMaxKept = 16;
  // So many kernels of a run may be enqueued and not finished. Bounds the events of
  // programs that loop.
  static constexpr size_t kMaxStarted = 1024;

  Status Begin(const device::LaunchBuffers& buffers, std::shared_ptr<Block> arena);
  // Buffers that kernels can access, instead of those in other host memory.
  Status Stage(const std::vector<ImageTensor>& tensors, const RunBuffer* buffers,
               bool copy_in, std::vector<RunBuffer>* staged);
  // Of kernels that have finished: the error of the first one that failed.
  Status CheckStarted();
  void Trace() const;
  Status Fail(Status status) const;

  const RunDevice& device_;
  const std::shared_ptr<const Program> program_;
  const RunIds ids_;
  const bool traced_;
  const void* constants_ = nullptr;
  std::vector<RunBuffer> arguments_, results_;  // as kernels see them
  int64_t first_enqueued_ns_ = 0;               // by TraceClock, if traced
  std::vector<Started> started_;                // since the last check
  std::vector<Started> finished_;               // only if traced
  std::deque<std::array<char, kMaxKept>> kept_;
  std::shared_ptr<Block> arena_;
  struct Staged {
    std::shared_ptr<Block> block;
    bool is_result = false;
  };
  std::map<void*, Staged> staged_;  // by address on the host
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_PROGRAM_RUN_H_
