// Transforms of many rows, one row per lane. Lives while one phase is emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_ROWS_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_ROWS_H_

#include "tenon/compiler/codegen/fft/fft_steps.h"

namespace tenon::codegen {

class FftRows {
 public:
  FftRows(FftBuilder& builder, FftSteps& steps, const FftPhase& phase, bool inverse)
      : f_(builder), b_(builder.b), steps_(steps), phase_(phase), inverse_(inverse) {}

  // Emits the transforms of rows lanes * unit and following, as far as they exist.
  Status Emit(llvm::Value* from, llvm::Value* to, llvm::Value* unit);

 private:
  // An inverse transform is a forward transform with real and imaginary parts swapped.
  ComplexVector SwapIfInverse(ComplexVector x) const {
    return inverse_ ? ComplexVector{x.im, x.re} : x;
  }
  std::string Swapped() const { return inverse_ ? "_swapped" : ""; }
  // Loads rows of `count` numbers (interleaved complex numbers or reals) into a buffer.
  // Lanes without a row load the last row again. `swap`: swaps the parts for an inverse
  // transform.
  Status Load(llvm::Value* from, llvm::Value* first, int64_t count, bool reals, bool swap,
              llvm::Value* buffer);
  // Stores a buffer to rows of `count` numbers (interleaved complex numbers, or only the
  // real parts). Lanes without a row store to `unused`.
  Status Store(llvm::Value* buffer, llvm::Value* to, llvm::Value* first, int64_t count,
               bool reals, llvm::Value* unused);
  // Load and Store of complex rows, at least as long as a vector, by shared functions.
  Status LoadNumbers(llvm::Value* from, llvm::Value* first, int64_t count, bool exchange,
                     llvm::Value* buffer);
  Status StoreNumbers(llvm::Value* buffer, llvm::Value* to, llvm::Value* first,
                      int64_t count, llvm::Value* unused);
  // What the functions have in common: the first row, bytes from a row to the next,
  // numbers in a row, and the number of rows that exist if that may be below the lanes.
  struct SharedRows {
    std::string name;  // the end of the function's name
    IrValues arguments;
    bool in_one_pass, below;
  };
  SharedRows SharedRowsOf(llvm::Value* array, llvm::Value* first, int64_t count,
                          int64_t number_bytes, bool exchange) const;
  // The address of a lane's row in such a function with parameters `p`. Lanes without a
  // row read the last one, and write to `unused`.
  llvm::Value* RowToRead(const SharedRows& rows, llvm::ArrayRef<llvm::Value*> p,
                         llvm::Value* lane);
  llvm::Value* RowToWrite(const SharedRows& rows, llvm::ArrayRef<llvm::Value*> p,
                          llvm::Value* lane, llvm::Value* unused);
  // As LoadNumbers and StoreNumbers, for rows of reals.
  Status LoadReals(llvm::Value* from, llvm::Value* first, int64_t count,
                   llvm::Value* buffer);
  Status StoreReals(llvm::Value* buffer, llvm::Value* to, llvm::Value* first,
                    int64_t count, llvm::Value* unused);
  Status ForEachTile(llvm::Value* count,
                     llvm::function_ref<void(llvm::Value* position)> body);
  // Even and odd reals are transformed as the real and imaginary parts of half as many
  // complex numbers. ToHalf computes the reals' spectrum from that of these numbers,
  // FromHalf the inverse.
  Status ToHalf(llvm::Value* from, llvm::Value* to);
  Status FromHalf(llvm::Value* from, llvm::Value* to);
  // Of both: `p` are the parameters of the shared function (from, to, length, table).
  Status CombineHalves(llvm::ArrayRef<llvm::Value*> p, double scale);
  // An odd number of reals is transformed as FftPhase::split sequences. Buffers hold m =
  // length / split numbers for each pair of them, [(split + 1) / 2, m], x[split * t + j]
  // + i * x[split * (t + 1) - j]. The imaginary part is 0 for j = 0.
  //
  // SequencePlaces is a table of where each real is, in vectors, and PlaceOf the address.
  llvm::Value* SequencePlaces();
  llvm::Value* PlaceOf(llvm::Value* buffer, llvm::Value* places, llvm::Value* number);
  // Transforms the sequences in buffer `current`; returns the buffer with the result.
  StatusOr<int> TransformSequences(int current);
  // Computes the spectrum of the reals from those of the sequences in buffer `current`;
  // returns the buffer with the result. SplitSpectrum is the inverse, from buffer 0 to
  // buffer 1.
  StatusOr<int> JoinSpectra(int current);
  Status SplitSpectrum();
  Status ClearImaginaryParts(llvm::Value* buffer, int64_t count);
  // Between them: a transform over all sequences, of columns [split, (m + 1) / 2], with m
  // numbers per sequence.
  Status TransformOverSequences(llvm::Value* from, llvm::Value* to);
  // Number k of sequences j and split - j, number m - k of both, their rows and twiddle
  // factors in the columns.
  struct PairPlace {
    llvm::Value *number, *partner, *row, *other_row;
    ComplexVector twiddle = {}, other_twiddle = {};
  };
  // Calls a shared function that runs `body` for all pairs; `p` are `from` and `to` in
  // it.
  Status CallForPairs(
      llvm::StringRef name, llvm::Value* from, llvm::Value* to, double scale,
      llvm::function_ref<void(llvm::ArrayRef<llvm::Value*> p, const PairPlace& at)> body);
  // The same for all numbers of the columns, and the number of the lower half of the
  // spectrum that each is, or is the conjugate of.
  Status CallForHalf(
      llvm::StringRef name, llvm::Value* from, llvm::Value* to,
      llvm::function_ref<void(llvm::ArrayRef<llvm::Value*> p, llvm::Value* column,
                              llvm::Value* number, bool conjugate)>
          body);
  // Computes the upper half of a spectrum of reals from the lower half, in place.
  Status Expand(llvm::Value* buffer);

  FftBuilder& f_;
  IrBuilder& b_;
  FftSteps& steps_;
  const FftPhase& phase_;
  bool inverse_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_ROWS_H_
