// The steps of transforms in buffers, one transform per lane. Lives while one phase is
// emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_STEPS_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_STEPS_H_

#include <map>

#include "tenon/compiler/codegen/fft/fft_builder.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

class FftSteps {
 public:
  explicit FftSteps(FftBuilder& builder) : f_(builder), b_(builder.b) {}

  // Sets two buffers, and memory for the sums and differences of a large butterfly.
  void SetMemory(llvm::Value* first, llvm::Value* second, llvm::Value* temporary) {
    buffers_[0] = first;
    buffers_[1] = second;
    temporary_ = temporary;
  }
  llvm::Value* buffer(int number) const { return buffers_[number]; }

  // Transforms the contents of buffer `current`; returns the buffer that holds the
  // result.
  StatusOr<int> Run(llvm::ArrayRef<FftStep> steps, int current);
  // Transforms numbers given by `load`; returns the buffer that holds the result.
  StatusOr<int> RunFrom(llvm::ArrayRef<FftStep> steps, const ComplexLoad& load);
  // Transforms numbers given by `load` and passes the result to `store`.
  Status RunFromTo(llvm::ArrayRef<FftStep> steps, const ComplexLoad& load,
                   const ComplexStore& store);

 private:
  // What a step reads or writes: numbers of a buffer, or any numbers (buffer: null).
  template <typename Access>
  struct Numbers {
    Access access;
    llvm::Value* buffer = nullptr;
  };
  using Source = Numbers<ComplexLoad>;
  using Target = Numbers<ComplexStore>;
  Source FromBuffer(llvm::Value* buffer);
  Target ToBuffer(llvm::Value* buffer);

  // Calls the step as a shared function, from buffer to buffer.
  Status Call(const FftStep& step, llvm::Value* from, llvm::Value* to);
  // Emits the step inline. `table` holds the twiddle factors; it is null in the last
  // step.
  Status Emit(int64_t radix, llvm::Value* rest, llvm::Value* columns, llvm::Value* table,
              llvm::Value* temporary, const Source& from, const Target& to);
  Status EmitInline(const FftStep& step, const Source& from, const Target& to) {
    return Emit(step.radix, b_.getInt64(step.rest), b_.getInt64(step.columns),
                TableOf(step), temporary_, from, to);
  }
  // The butterfly of a prime too large for registers, in loops over its inputs and
  // outputs.
  Status LargeButterfly(int64_t radix, llvm::Value* temporary, const ComplexLoad& in,
                        const ComplexStore& out);
  Status Copy(int64_t count, const ComplexLoad& load, const ComplexStore& store);
  llvm::Value* TableOf(const FftStep& step);

  FftBuilder& f_;
  IrBuilder& b_;
  llvm::Value* buffers_[2];
  llvm::Value* temporary_;
  std::map<std::pair<int64_t, int64_t>, llvm::Value*> tables_;  // by radix and rest
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_STEPS_H_
