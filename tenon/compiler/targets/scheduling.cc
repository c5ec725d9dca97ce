#include "tenon/compiler/targets/scheduling.h"

#include "llvm/Support/CommandLine.h"

namespace tenon::compiler {

bool BoundScheduling() {
  // With LLVM's 1000, blocks of some thousand loads and stores took as long as the rest
  // of the compilation. It is set at the first use, because LLVM registers its options
  // while libraries are loaded, in any order.
  static const bool is_bounded = [] {
    llvm::cl::Option* bound =
        llvm::cl::getRegisteredOptions().lookup("dag-maps-huge-region");
    return bound && !bound->addOccurrence(0, bound->ArgStr, "300");
  }();
  return is_bounded;
}

}  // namespace tenon::compiler
