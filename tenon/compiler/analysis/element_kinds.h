// Classifies element types. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_ELEMENT_KINDS_H_
#define TENON_COMPILER_ANALYSIS_ELEMENT_KINDS_H_

#include "tenon/types/element_type.h"

namespace tenon::compiler {

bool IsComplex(ElementType type);
bool IsSignedInteger(ElementType type);
bool IsUnsignedInteger(ElementType type);  // not kPred
bool IsInteger(ElementType type);          // not kPred
bool IsFloat(ElementType type);            // of any width
// Floats of at most 8 bits.
bool IsSmallFloat(ElementType type);
// The type of the real and imaginary parts: kF32 for kC64, kF64 for kC128, else `type`.
ElementType RealType(ElementType type);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_ELEMENT_KINDS_H_
