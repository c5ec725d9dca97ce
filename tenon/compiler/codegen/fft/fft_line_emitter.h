// Transforms along themselves: FftLine's parts. Lives while one phase is emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_LINE_EMITTER_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_LINE_EMITTER_H_

#include "tenon/compiler/codegen/fft/fft_steps.h"

namespace tenon::codegen {

class FftLineEmitter {
 public:
  FftLineEmitter(FftBuilder& builder, FftSteps& steps, const FftLine& line,
                 const FftPhase& phase, bool inverse)
      : f_(builder),
        b_(builder.b),
        steps_(steps),
        line_(line),
        phase_(phase),
        inverse_(inverse) {}

  // Unit `unit` of a part of row `row`; from and to: the arrays; memory: the row's.
  Status EmitPart(FftPart part, llvm::Value* from, llvm::Value* to, llvm::Value* memory,
                  llvm::Value* row, llvm::Value* unit);

 private:
  ComplexVector Oriented(ComplexVector x) const {
    return inverse_ ? ComplexVector{x.im, x.re} : x;
  }
  bool Has(FftPart part) const { return llvm::is_contained(line_.parts, part); }
  llvm::Value* Memory(int64_t offset) { return OffsetPointer(b_, memory_, offset, 1); }
  llvm::Value* Numbers() { return Memory(line_.numbers_at); }

  Status First(llvm::Value* from, llvm::Value* row, llvm::Value* block);
  Status Middle(llvm::Value* block);
  Status Last(llvm::Value* to, llvm::Value* row, llvm::Value* block);
  // Columns of what First or Middle stored, `stride` numbers from row to row.
  ComplexLoad ColumnLoader(llvm::Value* rows, int64_t stride, llvm::Value* block);
  // Buffer `number`, [count, lanes], times roots of the line's length: row block * lanes
  // and so on of `target`, whose rows are `stride` apart.
  Status StoreRows(int number, llvm::Value* target, int64_t count, int64_t columns,
                   int64_t stride, llvm::Value* block);
  llvm::Value* Roots(int64_t count, int64_t columns, int64_t stride);

  Status Mirror(llvm::Value* from, llvm::Value* row, llvm::Value* unit);
  Status FromHalf(llvm::Value* from, llvm::Value* row, llvm::Value* unit);
  Status ToHalf(llvm::Value* to, llvm::Value* row, llvm::Value* unit);
  // A pass over numbers 1 to end, a vector at a time, the last ones perhaps twice.
  Status Pass(llvm::Value* unit, int64_t end,
              llvm::function_ref<void(llvm::Value* k)> body);
  // Numbers last - lanes + 1 to last, backwards and conjugated.
  ComplexVector LoadMirrored(llvm::Value* from, llvm::Value* last);
  // A planar table: real parts, then imaginary parts, zeros behind both.
  llvm::Value* Planar(int64_t count, int64_t padded,
                      llvm::function_ref<std::complex<double>(int64_t)> value);
  ComplexVector LoadPlanar(llvm::Value* table, int64_t padded, llvm::Value* index);
  llvm::Value* ChirpTable();
  llvm::Value* FilterTable();
  int64_t ChirpSize() const { return line_.length + f_.lanes; }
  // The roots that join the halves of a transform of reals, as Planar.
  llvm::Value* HalfTable(std::complex<double> factor, bool conjugate);

  FftBuilder& f_;
  IrBuilder& b_;
  FftSteps& steps_;
  const FftLine& line_;
  const FftPhase& phase_;
  bool inverse_;
  llvm::Value* memory_ = nullptr;
  llvm::Value* chirp_ = nullptr;
  std::map<int64_t, std::pair<llvm::Value*, llvm::Value*>> roots_;  // by count
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_LINE_EMITTER_H_
