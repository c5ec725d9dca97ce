// Loads and stores of elements that are not contiguous, one for each lane. No state.
#ifndef TENON_COMPILER_CODEGEN_POINT_LANE_ACCESSES_H_
#define TENON_COMPILER_CODEGEN_POINT_LANE_ACCESSES_H_

#include <optional>

#include "llvm/Support/Alignment.h"
#include "tenon/compiler/codegen/point/point_values.h"

namespace tenon::codegen {

// A load of one part of the elements at `offset` of a view.
struct LaneAccess {
  llvm::Value* pointer;  // the view
  llvm::Value* start;    // the part of its first element
  llvm::Type* type;      // the part in memory, a scalar
  int64_t bytes;         // of a whole element
  IndexValue offset;     // in elements
  llvm::Value* mask;     // null: all lanes are loaded
  llvm::Value* other;    // the value of masked-out lanes; null: any
  int part, parts;       // a complex number has two parts
  llvm::Align first;     // the alignment of the element at the base of the offset

  llvm::Align align() const { return llvm::Align(bytes / parts); }
};

// Returns the address for a masked load: `address`, or `start` if `mask` is all off. With
// all lanes off the address may be in no page of the process, where the load takes a
// hundred times longer (bench: concatenate_short_rows_400000x3).
llvm::Value* AddressUnlessAllOff(llvm::IRBuilderBase& b, llvm::Value* mask,
                                 llvm::Value* address, llvm::Value* start);

// Loads a vector of the current lanes, by the cheapest of: vectors and shuffles for small
// strides or constant distances, else one load per lane. The offset must not be uniform.
llvm::Value* LoadScattered(PointValues& values, const LaneAccess& access);

// Returns the active lanes of a mask (null: all), or nullopt if they are only known at
// run time.
std::optional<llvm::SmallVector<bool>> KnownLanes(llvm::Value* mask, int width);

// Stores the active lanes of `value`, in their order. Neighbouring lanes of consecutive
// elements are stored together. The offset must not be varying, and KnownLanes knows the
// mask.
void StoreScattered(PointValues& values, const LaneAccess& access, llvm::Value* value);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_LANE_ACCESSES_H_
