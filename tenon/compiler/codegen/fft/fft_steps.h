// The steps of transforms in buffers, one transform per lane. Lives while one phase is
// emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_STEPS_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_STEPS_H_

#include <map>
#include <optional>

#include "tenon/compiler/codegen/fft/fft_builder.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

// Columns of an array of numbers, `lanes` of them from one address on. Number `index` of
// the columns is `stride` bytes per index further.
struct FftColumns {
  llvm::Value *base, *stride;
  // Real numbers, in or out; the imaginary parts are zero or dropped.
  bool real = false;
  // Real and imaginary parts are exchanged, so that a forward transform computes the
  // inverse.
  bool swapped = false;
  llvm::Value* left = nullptr;  // how many columns exist (i64); null: all
  // Of stores. Results are multiplied by a real number; null: by 1.
  llvm::Value* scale = nullptr;
  // The array may end within the columns. `end` is the number of numbers from `base` to
  // its end, `inner` the number per index. Null: it does not.
  llvm::Value *end = nullptr, *inner = nullptr;
  // What numbers are multiplied by after they are loaded, and before they are stored,
  // then with their parts exchanged. The address of the real part that belongs to `base`,
  // and bytes from there to the imaginary part; null: by 1. Needs `inner`.
  llvm::Value *chirp = nullptr, *to_imaginary = nullptr;
};

class FftSteps {
 public:
  explicit FftSteps(FftBuilder& builder) : f_(builder), b_(builder.b) {}

  // Sets two buffers, and memory for the sums and differences of a large butterfly or for
  // a convolution.
  void SetMemory(llvm::Value* first, llvm::Value* second, llvm::Value* temporary) {
    buffers_[0] = first;
    buffers_[1] = second;
    temporary_ = temporary;
  }
  llvm::Value* buffer(int number) const { return buffers_[number]; }

  // Transforms the contents of buffer `current`; returns the buffer that holds the
  // result.
  StatusOr<int> Run(llvm::ArrayRef<FftStep> steps, int current) {
    return Run(steps, buffers_, current);
  }
  StatusOr<int> Run(llvm::ArrayRef<FftStep> steps, llvm::ArrayRef<llvm::Value*> buffers,
                    int current);
  // Transforms columns of an array; returns the buffer that holds the result, or stores
  // it to columns.
  StatusOr<int> RunFrom(llvm::ArrayRef<FftStep> steps, const FftColumns& from);
  Status RunFromTo(llvm::ArrayRef<FftStep> steps, const FftColumns& from,
                   const FftColumns& to);

 private:
  // What a step reads or writes: numbers of a buffer, of columns, or any numbers.
  template <typename Access>
  struct Numbers {
    Access access;
    llvm::Value* buffer = nullptr;
    // What is the code of shared functions: `bind` returns the same access with other
    // values for `arguments`, and equal names mean equal code. Null: the code is emitted
    // inline.
    std::function<Numbers(llvm::ArrayRef<llvm::Value*>)> bind;
    std::string name;
    IrValues arguments;
  };
  using Source = Numbers<ComplexLoad>;
  using Target = Numbers<ComplexStore>;
  Source FromBuffer(llvm::Value* buffer);
  Target ToBuffer(llvm::Value* buffer);

  Source FromColumns(const FftColumns& columns);
  Target ToColumns(const FftColumns& columns);
  // Makes an access to columns, as `make(columns)` returns it, one of shared functions.
  template <typename Access, typename Make>
  void Share(Numbers<Access>& numbers, llvm::StringRef name, FftColumns columns,
             Make make);
  llvm::Value* ColumnMask(const FftColumns& columns, llvm::Value* left);
  // The place of number `index` of the columns.
  struct ColumnPlace {
    llvm::Value* address;
    llvm::Value* left;  // how many columns exist there; null: all
    ComplexVector chirp;
  };
  ColumnPlace Find(const FftColumns& columns, llvm::Value* index);
  StatusOr<int> RunFrom(llvm::ArrayRef<FftStep> steps, const Source& from);
  Status RunFromTo(llvm::ArrayRef<FftStep> steps, const Source& from, const Target& to);

  // Calls the step as a shared function, or emits it inline.
  Status Call(const FftStep& step, const Source& from, const Target& to);
  // Emits the step inline. `table` holds the twiddle factors; it is null in the last
  // step.
  // `prime` is given if the radix, then 0, is one that LargeButterfly transforms.
  struct LargePrime {
    llvm::Value *radix, *table;
  };
  Status Emit(int64_t radix, std::optional<LargePrime> prime, llvm::Value* rest,
              llvm::Value* columns, llvm::Value* table, llvm::Value* temporary,
              const Source& from, const Target& to);
  // The butterfly of a prime too large for registers, in loops over its inputs and
  // outputs.
  Status LargeButterfly(LargePrime prime, llvm::Value* temporary, const ComplexLoad& in,
                        const ComplexStore& out);
  // A step that is a convolution: the chirp times the convolution of the numbers, times
  // the chirp, with its conjugate.
  Status Convolve(const FftStep& step, llvm::Value* from, llvm::Value* to);
  // Of one column: numbers of `from` and `to` are `stride` (i64) numbers apart.
  Status ConvolveColumn(const FftStep& step, llvm::Value* from, llvm::Value* to,
                        llvm::Value* stride);
  // Cosines and sines for LargeButterfly, in the order in which it needs them.
  llvm::Value* LargeTable(int64_t radix);
  Status Copy(int64_t count, const Source& from, const Target& to);
  llvm::Value* TableOf(const FftStep& step);

  FftBuilder& f_;
  IrBuilder& b_;
  llvm::Value* buffers_[2];
  llvm::Value* temporary_;
  std::map<std::pair<int64_t, int64_t>, llvm::Value*> tables_;  // by radix and rest
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_STEPS_H_
