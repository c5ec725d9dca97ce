// Transforms vectorized within one row: the parts of a FourStepFft. Lives while one phase
// is emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FOUR_STEP_EMITTER_H_
#define TENON_COMPILER_CODEGEN_FFT_FOUR_STEP_EMITTER_H_

#include "tenon/compiler/codegen/fft/fft_steps.h"
#include "tenon/compiler/codegen/fft/roots.h"

namespace tenon::codegen {

class FourStepEmitter {
 public:
  FourStepEmitter(FftBuilder& builder, FftSteps& steps, const FourStepFft& fft,
                  const FftPhase& phase, bool inverse)
      : f_(builder),
        b_(builder.b),
        steps_(steps),
        fft_(fft),
        phase_(phase),
        inverse_(inverse) {}

  // Emits unit `unit` of a part for row `row`. `from` and `to` are the arrays, `memory`
  // is the row's.
  Status EmitPart(FftPart part, llvm::Value* from, llvm::Value* to, llvm::Value* memory,
                  llvm::Value* row, llvm::Value* unit);

 private:
  ComplexVector SwapIfInverse(ComplexVector x) const {
    return inverse_ ? ComplexVector{x.im, x.re} : x;
  }
  std::string Swapped() const { return inverse_ ? "_swapped" : ""; }
  bool Has(FftPart part) const { return llvm::is_contained(fft_.parts, part); }
  llvm::Value* Memory(int64_t offset) { return OffsetPointer(b_, memory_, offset, 1); }
  llvm::Value* Numbers() { return Memory(fft_.numbers_offset); }

  Status First(llvm::Value* from, llvm::Value* row, llvm::Value* block);
  Status Middle(llvm::Value* block);
  Status Last(llvm::Value* to, llvm::Value* row, llvm::Value* block);
  void SetChirp(FftColumns& columns, llvm::Value* column, int64_t count, int64_t inner);
  // Columns of the array that First or Middle stored, whose rows are `stride` numbers
  // apart.
  FftColumns ColumnsOf(llvm::Value* rows, int64_t stride, llvm::Value* column);
  // Stores buffer `number`, [count, lanes], times the twiddle factors of the
  // transform's length, to the rows of `target` from block * lanes on, which are
  // `stride` numbers apart.
  Status StoreRows(int number, llvm::Value* target, int64_t count, int64_t columns,
                   int64_t stride, llvm::Value* block);
  llvm::Value* Roots(int64_t count, int64_t columns, int64_t stride);

  Status FillByHermitianSymmetry(llvm::Value* from, llvm::Value* row, llvm::Value* unit);
  Status FromHalf(llvm::Value* from, llvm::Value* row, llvm::Value* unit);
  Status ToHalf(llvm::Value* to, llvm::Value* row, llvm::Value* unit);
  // Loops over numbers 1 to end, one vector per iteration. The last iteration may overlap
  // the one before.
  Status Pass(llvm::Value* unit, llvm::Value* end,
              llvm::function_ref<void(llvm::Value* k)> body);
  llvm::Value* NumberAt(llvm::Value* array, llvm::Value* k) {
    return OffsetPointer(b_, array, k, f_.number_bytes());
  }
  std::pair<ComplexVector, ComplexVector> CombineHalves(llvm::ArrayRef<llvm::Value*> p,
                                                        llvm::Value* k, double scale);
  // Loads numbers last - lanes + 1 to last, reversed and conjugated.
  ComplexVector LoadReversedConjugate(llvm::Value* from, llvm::Value* last);
  // A table of separate parts: real parts, then imaginary parts, each padded with zeros.
  llvm::Value* PlanarTable(int64_t count, int64_t padded,
                           llvm::function_ref<std::complex<double>(int64_t)> value);
  ComplexVector LoadPlanar(llvm::Value* table, llvm::Value* padded, llvm::Value* index);
  llvm::Value* BlocksTable(const UnityRoots& roots, int64_t blocks, int64_t stride);
  llvm::Value* FirstPowersTable(const UnityRoots& roots, int64_t blocks);
  Status WritePowers(llvm::Value* first, llvm::Value* count, llvm::Value* target);
  llvm::Value* ChirpTable();
  llvm::Value* FilterTable();
  int64_t ChirpSize() const { return fft_.length + f_.lanes; }
  // The twiddle factors that join the halves of a transform of reals, laid
  // out like PlanarTable.
  llvm::Value* HalfTable(std::complex<double> factor, bool conjugate);

  FftBuilder& f_;
  IrBuilder& b_;
  FftSteps& steps_;
  const FourStepFft& fft_;
  const FftPhase& phase_;
  bool inverse_;
  llvm::Value* memory_ = nullptr;
  llvm::Value* chirp_ = nullptr;
  std::map<int64_t, std::pair<llvm::Value*, llvm::Value*>> roots_;  // by count
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FOUR_STEP_EMITTER_H_
