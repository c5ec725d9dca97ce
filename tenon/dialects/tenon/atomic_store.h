// A tenon.store with the attribute `atomic` combines its value with the element by one
// atomic operation of a device, that of the StableHLO op of this name: "add", "maximum",
// "minimum", "and", "or" or "xor". Elements are integers of 32 or 64 bits.
#ifndef TENON_DIALECTS_TENON_ATOMIC_STORE_H_
#define TENON_DIALECTS_TENON_ATOMIC_STORE_H_

#include "llvm/ADT/StringRef.h"

namespace tenon::ir {

inline constexpr llvm::StringLiteral kAtomicAttr = "atomic";

}  // namespace tenon::ir

#endif  // TENON_DIALECTS_TENON_ATOMIC_STORE_H_
