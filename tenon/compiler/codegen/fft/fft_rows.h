// Transforms of rows, a lane each. Lives while one phase is emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_ROWS_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_ROWS_H_

#include "tenon/compiler/codegen/fft/fft_steps.h"

namespace tenon::codegen {

class FftRows {
 public:
  FftRows(FftBuilder& builder, FftSteps& steps, const FftPhase& phase, bool inverse)
      : f_(builder), b_(builder.b), steps_(steps), phase_(phase), inverse_(inverse) {}

  // Rows lanes * unit and so on, those that there are.
  Status Emit(llvm::Value* from, llvm::Value* to, llvm::Value* unit);

 private:
  // Backward transforms are forward ones of numbers whose parts are exchanged.
  ComplexVector Oriented(ComplexVector x) const {
    return inverse_ ? ComplexVector{x.im, x.re} : x;
  }
  // Rows of `count` numbers, pairs or reals, to a buffer as they are. Rows that are not
  // there are the last one once more.
  Status Load(llvm::Value* from, llvm::Value* first, int64_t count, bool reals,
              bool oriented, llvm::Value* buffer);
  // A buffer to rows of `count` numbers, pairs or the real parts. `unused`: memory for
  // rows that are not there.
  Status Store(llvm::Value* buffer, llvm::Value* to, llvm::Value* first, int64_t count,
               bool reals, llvm::Value* unused);
  // The spectrum of reals from that of the complex numbers they were taken for, and back.
  Status ToHalf(llvm::Value* from, llvm::Value* to);
  Status FromHalf(llvm::Value* from, llvm::Value* to);
  Status Mirror(llvm::Value* from, llvm::Value* to, llvm::Value* table, double half);
  // The upper half of a spectrum of reals from the lower one, in place.
  Status Expand(llvm::Value* buffer);

  FftBuilder& f_;
  IrBuilder& b_;
  FftSteps& steps_;
  const FftPhase& phase_;
  bool inverse_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_ROWS_H_
