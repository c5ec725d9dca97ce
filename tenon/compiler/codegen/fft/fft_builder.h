// The common building blocks of Fourier transforms: vectors of complex numbers in memory,
// tables, and shared functions, which a module contains once. Lives while one phase is
// emitted.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_BUILDER_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_BUILDER_H_

#include <complex>
#include <functional>
#include <vector>

#include "tenon/compiler/codegen/fft/butterfly.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"
#include "tenon/types/element_type.h"

namespace tenon::codegen {

using ComplexLoad = std::function<ComplexVector(llvm::Value* index)>;
using ComplexStore = std::function<void(llvm::Value* index, ComplexVector value)>;

class FftBuilder {
 public:
  FftBuilder(IrBuilder& builder, ElementType real_type, int lane_count,
             const TargetTraits& target);

  IrBuilder& b;
  const int lanes;
  const int64_t bytes;  // size of a real number
  // The number of outputs of a large butterfly that are accumulated together, four
  // vectors each. Three and their factors fill 16 registers: with four, whose sums alone
  // do, rows of 101 numbers take 1.4 to 1.6 times the time.
  const int64_t outputs;
  llvm::Type* const real;
  llvm::FixedVectorType* const vector;
  llvm::FixedVectorType* const pairs;  // interleaved complex numbers, one per lane
  Butterfly butterfly;

  int64_t number_bytes() const { return 2 * bytes; }
  int64_t vector_bytes() const { return 2 * lanes * bytes; }
  llvm::Value* Zero() const { return llvm::Constant::getNullValue(vector); }

  // A buffer holds, for each number, a vector of real parts and then one of imaginary
  // parts.
  ComplexVector FromBuffer(llvm::Value* buffer, llvm::Value* index);
  void ToBuffer(llvm::Value* buffer, llvm::Value* index, ComplexVector value);
  ComplexVector LoadParts(llvm::Value* address);
  void StoreParts(llvm::Value* address, ComplexVector value);

  // Converts interleaved complex numbers (`lanes` of them, in one vector or two halves)
  // to separate parts, and back. An arithmetic_fence follows each shuffle, because LLVM
  // would try to combine chains of shuffles, which takes most of the compile time and
  // never succeeds.
  ComplexVector Split(llvm::Value* low, llvm::Value* high = nullptr);
  llvm::Value* Pairs(ComplexVector value, int first, int count);
  void Transpose(llvm::MutableArrayRef<llvm::Value*> rows, int unit);
  // Copies rows of interleaved complex numbers, one row per lane, to a buffer [count,
  // lanes], and back. A transpose tile covers half of the lanes; each loop iteration
  // transposes one tile. The last tiles may overlap, so `count` must be at least half
  // the number of lanes.
  struct Rows {
    // The address of a lane's row.
    llvm::function_ref<llvm::Value*(llvm::Value* lane)> address;
    llvm::Value* distance = nullptr;  // bytes from a lane's row to the next; null: varies
  };
  Status LoadRows(Rows rows, llvm::Value* count, llvm::Value* buffer, bool exchange);
  // Modifies the buffer.
  Status StoreRows(llvm::Value* buffer, llvm::Value* count,
                   llvm::function_ref<ComplexVector(llvm::Value* index)> value,
                   Rows rows);
  // The same in one pass over the buffer, which StoreRowsInOnePass does not modify. This
  // takes twice the code and four fifths of the time.
  Status LoadRowsInOnePass(Rows rows, llvm::Value* count, llvm::Value* buffer,
                           bool exchange);
  Status StoreRowsInOnePass(llvm::Value* count,
                            llvm::function_ref<ComplexVector(llvm::Value* index)> value,
                            Rows rows);
  llvm::Value* Reverse(llvm::Value* value);
  ComplexVector LoadPairs(llvm::Value* address);
  void StorePairs(llvm::Value* address, ComplexVector value);

  // Returns <count x i1>: whether lane / unit is less than `limit` (i64).
  llvm::Value* LanesBelow(llvm::Value* limit, int count, int unit);

  // A read-only array of real numbers, rounded once, or of doubles. Equal arrays share
  // one global.
  llvm::Value* RealTable(const std::vector<double>& numbers);
  llvm::Value* DoubleTable(const std::vector<double>& numbers);
  llvm::Value* IndexTable(const std::vector<int32_t>& numbers);
  // Table: complex numbers, interleaved. Broadcast: number `index` of such a table in all
  // lanes.
  llvm::Value* Table(int64_t count,
                     llvm::function_ref<std::complex<double>(int64_t)> value);
  ComplexVector Broadcast(llvm::Value* table, llvm::Value* index);

  // Calls the shared function (shared_names.h) `name`. If the module has none yet, `body`
  // emits it; its code may depend only on the name, the types and the target.
  Status CallShared(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments,
                    llvm::function_ref<Status(IrValues& parameters)> body);

 private:
  llvm::Value* BytesTable(const void* data, size_t size);
  llvm::Value* Fence(llvm::Value* value);
  // The address of number `position` in the row of lane `first` + `lane`.
  llvm::Value* InRow(const Rows& rows, llvm::Value* first, int lane,
                     llvm::Value* position);
  Status ForEachTransposeTile(
      llvm::Value* count,
      llvm::function_ref<void(llvm::Value* position, llvm::Value* tile)>);
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_BUILDER_H_
