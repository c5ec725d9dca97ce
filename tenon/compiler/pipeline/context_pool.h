// MLIR contexts that are kept for the next compilation: creating one, with all dialects,
// takes as long as the passes over a small program.
#ifndef TENON_COMPILER_PIPELINE_CONTEXT_POOL_H_
#define TENON_COMPILER_PIPELINE_CONTEXT_POOL_H_

#include <exception>
#include <memory>
#include <string_view>

#include "mlir/IR/MLIRContext.h"

namespace tenon::compiler {

// A context and the number of compilations that it has served.
struct CountedContext {
  explicit CountedContext(const mlir::DialectRegistry& registry)
      : context(registry, mlir::MLIRContext::Threading::DISABLED) {}
  mlir::MLIRContext context;
  int uses = 0;
};

// A context with all dialects, for one compilation. It is leaked if an exception leaves
// the scope, as by LeakedOnException.
class PooledContext {
 public:
  // A context never forgets a type, an attribute or a location. So it only serves small
  // programs again, only so many of them, and none after large constants, which are
  // resources with names. Programs in text get a new one, because the parser knows
  // exactly the dialects that are loaded.
  explicit PooledContext(std::string_view program);
  ~PooledContext();
  PooledContext(const PooledContext&) = delete;
  PooledContext& operator=(const PooledContext&) = delete;

  mlir::MLIRContext& operator*() const { return owned_->context; }
  // The compilation succeeded: the context may serve another one.
  void Keep() { keep_ = may_keep_; }

 private:
  const bool may_keep_;
  bool keep_ = false;
  std::unique_ptr<CountedContext> owned_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CONTEXT_POOL_H_
