// Elementwise functions of many instructions. The first uses in a function are inline,
// the others call one copy in the module. Without sharing, a kernel of a hundred sines
// has a hundred copies of the code of a sine, which LLVM takes seconds to compile.
#ifndef TENON_COMPILER_CODEGEN_POINT_SHARED_FUNCTIONS_H_
#define TENON_COMPILER_CODEGEN_POINT_SHARED_FUNCTIONS_H_

#include <map>
#include <optional>
#include <tuple>

#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::codegen {

// Used by one emitter, for one function or several in succession.
class SharedFunctions {
 public:
  explicit SharedFunctions(const compiler::ElementwiseOptions& options)
      : options_(options) {}

  // As ElementwiseEmitter::Emit. The bits of the result are the same whether it is a call
  // or not.
  StatusOr<compiler::ElementValue> Emit(llvm::IRBuilderBase& b,
                                        compiler::ElementwiseOp op,
                                        llvm::ArrayRef<compiler::ElementValue> operands,
                                        ElementType result,
                                        const compiler::ElementwiseAttrs& attrs);

 private:
  struct Key {
    compiler::ElementwiseOp op;
    ElementType result;
    llvm::SmallVector<llvm::Type*> part_types;
    llvm::SmallVector<ElementType, 3> operand_types = {};
    llvm::Constant* divisor =
        nullptr;  // of a division by a constant, in integers or their bits

    bool operator<(const Key& other) const {
      return std::tie(op, result, part_types, operand_types, divisor) <
             std::tie(other.op, other.result, other.part_types, other.operand_types,
                      other.divisor);
    }
  };
  struct Uses {
    llvm::Function* function = nullptr;
    std::optional<bool> is_long;
    int count = 0;
  };

  StatusOr<llvm::Function*> Shared(llvm::Function& caller, const Key& key,
                                   llvm::ArrayRef<compiler::ElementValue> operands,
                                   const compiler::ElementwiseAttrs& attrs);

  compiler::ElementwiseOptions options_;
  std::map<Key, Uses> uses_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_SHARED_FUNCTIONS_H_
