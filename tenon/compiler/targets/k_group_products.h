// The dot-product instructions of targets, for TargetTraits.
#ifndef TENON_COMPILER_TARGETS_K_GROUP_PRODUCTS_H_
#define TENON_COMPILER_TARGETS_K_GROUP_PRODUCTS_H_

#include <functional>

#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

// Sets bf16_pairs and s8_quads of an x86 target. `has` looks up LLVM's feature names.
void AddX86KGroupProducts(const std::function<bool(const char*)>& has,
                          TargetTraits& traits);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_K_GROUP_PRODUCTS_H_
