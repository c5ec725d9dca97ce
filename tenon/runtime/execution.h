// One run of a program on one device: what RunContext::execution points to.
//
// Used by one thread at a time, except for SetError, which chunks of a parallel loop may
// call at the same time.
#ifndef TENON_RUNTIME_EXECUTION_H_
#define TENON_RUNTIME_EXECUTION_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "tenon/base/aligned_bytes.h"
#include "tenon/base/status.h"
#include "tenon/executable/run_context.h"
#include "tenon/executable/run_ids.h"
#include "tenon/ffi/call_site.h"
#include "tenon/runtime/collectives.h"
#include "tenon/runtime/kernel_stream.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"
#include "tenon/runtime/trace.h"

namespace tenon::runtime {

class Execution final : public ffi::CallEnvironment {
 public:
  // All must outlive the run. `traced`: whether to record its events. `stream` is null
  // for host code. Of a launcher only custom calls are recorded, because the device knows
  // when kernels run. Throws std::bad_alloc if there is no memory for the frame of a
  // launcher.
  Execution(Runtime& runtime, const Program& program, const RunIds& ids, bool traced,
            KernelStream* stream = nullptr);

  // Runs the program until it ends, or comes to a collective. In the latter case sets
  // `*suspended`; the next call continues the run. `arena` has its state. Enters the
  // float mode of the program meanwhile.
  Status Run(const RunBuffer* args, const RunBuffer* results, void* arena,
             bool* suspended);

  // RunContext::packed_operands; must outlive the run.
  void set_packed(PackedOperand* packed) { context_.packed_operands = packed; }
  // How many devices of the gang are running, this one included; must outlive the run.
  void set_running(const std::atomic<int>* running) { running_ = running; }
  // Runs a parallel loop: on the compute team, unless every thread has a device to run.
  // Then each thread runs the loops of its own device, whose data stay in its cache.
  void ParallelFor(ParallelBody body, void* env, int64_t num_chunks);

  // Of a suspended run: the collective, its buffers and combiner. The buffers of a
  // launcher are copies on the host; the outputs are copied to the device when the run
  // continues.
  int64_t site() const { return site_; }
  const CollectiveBuffers& buffers() const { return buffers_; }
  Combiner combiner() const { return combiner_; }
  RunContext* context() { return &context_; }

  void Schedule(void (*task)(void* data), void* data) override {
    runtime_.blocking().Schedule([task, data] { task(data); });
  }
  int64_t num_threads() const override { return runtime_.team().num_threads(); }
  void* UserData(int64_t type_id) const override {
    return ids_.user_data ? ids_.user_data(ids_.user_data_context, type_id) : nullptr;
  }
  int64_t run_id() const override { return ids_.run_id; }
  int32_t device_ordinal() const override { return ids_.device_id; }

 private:
  static Execution& Of(RunContext* context) {
    return *static_cast<Execution*>(context->execution);
  }
  static const RuntimeTable kTable;

  void SetError(Status status);
  Status TakeError(int32_t code);
  // Replace the addresses in `buffers_` by those of copies on the host, and copy the
  // outputs back.
  Status StageCollective(const ImageCollective& collective);
  Status UnstageCollective();
  void Arrive(int64_t site, const RunBuffer* inputs, const RunBuffer* outputs,
              Combiner combiner);
  int32_t CallFfi(int64_t site, const RunBuffer* args, const RunBuffer* results);
  // Handlers run on the host: copies the operands of a launcher there and the results
  // back, and waits for both.
  Status CallFfiOnHost(int64_t site, const RunBuffer* args, const RunBuffer* results);
  Status CallHandler(int64_t site, const RunBuffer* args, const RunBuffer* results) {
    return program_.call_site(site).Call(args, results, *this, StatesOf(site));
  }
  // Calls `operation` with the stream, and records its error.
  template <typename F>
  int32_t OnStream(F&& operation) {
    Status status = stream_ ? operation(*stream_) : NoStream();
    if (status.ok()) return 0;
    const int32_t code = static_cast<int32_t>(status.code());
    SetError(std::move(status));
    return code;
  }
  Status NoStream() const;
  // Needs no lock, because custom calls of a run happen one after another.
  ffi::RunStates& StatesOf(int64_t site);
  // Ends the current kernel in the trace and begins `kernel`; -1 means none.
  void TraceKernel(int64_t kernel);
  void RecordEvent(TraceEvent::Kind kind, int64_t index, int64_t start_ns,
                   int64_t end_ns);

  Runtime& runtime_;
  const Program& program_;
  const RunIds ids_;
  KernelStream* const stream_;
  RunContext context_;
  const std::atomic<int>* running_ = nullptr;
  uint64_t caller_float_mode_ = 0;
  std::atomic<bool> failed_{false};
  Status error_;
  bool traced_ = false;
  // Of this part of a traced run of host code; otherwise 0.
  int64_t start_ns_ = 0;
  int64_t kernel_ = -1;  // the kernel that is running
  int64_t kernel_start_ns_ = 0;
  std::unique_ptr<ffi::RunStates[]> states_;  // by call site; null before the first call
  int64_t site_ = -1;
  CollectiveBuffers buffers_;
  // Of a launcher: what `buffers_` refers to, and where the outputs belong.
  std::deque<AlignedBytes> collective_blocks_;
  struct Output {
    void* address;
    const AlignedBytes* block;
  };
  std::vector<Output> collective_outputs_;
  AlignedBytes frame_;  // of a launcher with collectives
  Combiner combiner_ = nullptr;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_EXECUTION_H_
