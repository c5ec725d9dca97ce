#include "tenon/compiler/pipeline/context_pool.h"

#include "llvm/Support/MemoryBufferRef.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tenon/base/idle_pool.h"
#include "tenon/base/leaked_on_exception.h"
#include "tenon/dialects/register.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

constexpr size_t kMaxProgramBytes = size_t{8} << 10;
constexpr int kMaxUses = 16;
constexpr char kKey[] = "";  // all contexts are alike

IdlePool<CountedContext>& IdleContexts() {
  static auto* contexts = new IdlePool<CountedContext>(4);
  return *contexts;
}

std::unique_ptr<CountedContext> NewContext() {
  mlir::DialectRegistry registry;
  RegisterAllDialects(registry);
  registry.insert<ir::TenonDialect, mlir::arith::ArithDialect>();
  LeakedOnException<std::unique_ptr<CountedContext>> context(
      std::make_unique<CountedContext>(registry));
  (*context)->context.loadAllAvailableDialects();
  return std::move(*context);
}

// Resources keep their names as long as the context lives. Another one of that name would
// get a new name.
bool HasResources(mlir::MLIRContext& context) {
  auto& manager = mlir::DenseResourceElementsHandle::getManagerInterface(&context);
  bool found = false;
  manager.getBlobManager().getBlobMap([&](const auto& map) { found = !map.empty(); });
  return found;
}

bool IsSmallBytecode(std::string_view program) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(program), "program");
  return program.size() <= kMaxProgramBytes && mlir::isBytecode(buffer);
}

}  // namespace

PooledContext::PooledContext(std::string_view program)
    : may_keep_(IsSmallBytecode(program)) {
  if (may_keep_) owned_ = IdleContexts().Take(kKey);
  if (!owned_) owned_ = NewContext();
  ++owned_->uses;
}

PooledContext::~PooledContext() {
  if (std::uncaught_exceptions() != exceptions_)
    (void)owned_.release();
  else if (keep_ && owned_->uses < kMaxUses && !HasResources(owned_->context))
    IdleContexts().Keep(kKey, std::move(owned_));
}

}  // namespace tenon::compiler
