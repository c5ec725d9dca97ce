// How much stack the functions of a module take, from their machine code.
#ifndef TENON_COMPILER_OBJECT_STACK_USE_H_
#define TENON_COMPILER_OBJECT_STACK_USE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tenon/base/status.h"

namespace llvm {
class Pass;
}

namespace tenon::compiler {

class StackUse {
 public:
  // A pass that records each function that it is run on. The object must outlive it.
  llvm::Pass* CreatePass();

  // The most bytes that a call of `function` takes, without what undefined functions
  // take. A function whose address is taken counts as called there, by way of the
  // functions that call pointers.
  // INTERNAL if functions call each other in a cycle, or a frame has no fixed size.
  StatusOr<int64_t> Of(const std::string& function);

 private:
  friend class StackUsePass;
  struct Function {
    int64_t bytes = 0;  // of its own frame
    bool has_fixed_size = true;
    std::set<std::string> calls;      // by name
    std::set<std::string> addresses;  // used otherwise
    bool calls_pointer = false;
    int64_t total = -1;  // with what it calls
    bool is_open = false;
  };
  // The most bytes of the functions that `function` calls or passes on, and that call
  // pointers themselves; of a chain of at most `depth`.
  int64_t OfPointerCallers(const std::string& function, int depth);

  std::map<std::string, Function> functions_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_STACK_USE_H_
