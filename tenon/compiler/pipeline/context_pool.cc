#include "tenon/compiler/pipeline/context_pool.h"

#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/Support/MemoryBufferRef.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tenon/base/leaked_on_exception.h"
#include "tenon/dialects/register.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

constexpr size_t kMaxProgramBytes = size_t{8} << 10;
constexpr int kMaxUses = 16;

struct IdleContexts {
  static constexpr size_t kMaxIdle = 4;
  using Entry = std::pair<std::unique_ptr<mlir::MLIRContext>, int>;  // and its uses
  static IdleContexts& Get() {
    static auto* contexts = new IdleContexts;
    return *contexts;
  }

  IdleContexts() { entries.reserve(kMaxIdle); }
  std::mutex mutex;
  std::vector<Entry> entries;
};

std::unique_ptr<mlir::MLIRContext> NewContext() {
  mlir::DialectRegistry registry;
  RegisterAllDialects(registry);
  registry.insert<ir::TenonDialect, mlir::arith::ArithDialect>();
  LeakedOnException<std::unique_ptr<mlir::MLIRContext>> context(
      std::make_unique<mlir::MLIRContext>(registry,
                                          mlir::MLIRContext::Threading::DISABLED));
  (*context)->loadAllAvailableDialects();
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
  if (may_keep_) {
    IdleContexts& idle = IdleContexts::Get();
    std::lock_guard lock(idle.mutex);
    if (!idle.entries.empty()) {
      std::tie(context_, uses_) = std::move(idle.entries.back());
      idle.entries.pop_back();
    }
  }
  if (!context_) context_ = NewContext();
  ++uses_;
}

PooledContext::~PooledContext() {
  if (std::uncaught_exceptions() != exceptions_) {
    (void)context_.release();
    return;
  }
  if (!keep_ || uses_ >= kMaxUses || HasResources(*context_)) return;
  IdleContexts& idle = IdleContexts::Get();
  std::lock_guard lock(idle.mutex);
  if (idle.entries.size() < IdleContexts::kMaxIdle)
    idle.entries.emplace_back(std::move(context_), uses_);
}

}  // namespace tenon::compiler
