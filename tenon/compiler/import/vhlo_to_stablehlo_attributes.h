// The attributes of one VHLO operation while they are converted to StableHLO. Used by
// vhlo_to_stablehlo.cc only; not thread-safe.
#ifndef TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_ATTRIBUTES_H_
#define TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_ATTRIBUTES_H_

#include "llvm/ADT/MapVector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tenon::compiler {

// Holds the inherent attributes that are not converted yet, by name. Accessors report
// failures and record them.
class VhloAttributes {
 public:
  explicit VhloAttributes(mlir::Operation* op) : op_(op) {}

  void Add(llvm::StringRef name, mlir::Attribute value) { values_[name] = value; }

  size_t size() const { return values_.size(); }

  // Converts all of them for StableHLO operation `name` (without its dialect).
  mlir::FailureOr<mlir::NamedAttrList> Convert(llvm::StringRef name);

  // Removes and returns an attribute; null if it is absent. A value of another kind is a
  // failure.
  template <typename T>
  T Take(llvm::StringRef name) {
    mlir::Attribute value = TakeAny(name);
    if (!value) return {};
    if (auto typed = llvm::dyn_cast<T>(value)) return typed;
    Fail(name, value);
    return {};
  }
  bool failed() const { return failed_; }

 private:
  mlir::Attribute TakeAny(llvm::StringRef name);
  int64_t TakeInteger(llvm::StringRef name);
  llvm::SmallVector<int64_t> TakeIntegers(llvm::StringRef name);
  // Returns the elements of a 1-d tensor of T; at most kMaxListSize of them.
  template <typename T>
  llvm::SmallVector<T> ElementsOf(llvm::StringRef name, mlir::Attribute value);

  mlir::Attribute ConvertOne(llvm::StringRef op_name, llvm::StringRef name,
                             mlir::Attribute value);
  bool IsDefault(llvm::StringRef op_name, llvm::StringRef name, mlir::Attribute value);
  mlir::Attribute Symbol(llvm::StringRef name, mlir::Attribute value);
  void RegroupConvolution(mlir::NamedAttrList& out);
  void RegroupDotGeneral(mlir::NamedAttrList& out);
  void RegroupGather(mlir::NamedAttrList& out);
  void RegroupScatter(mlir::NamedAttrList& out);
  void RegroupChannel(llvm::StringRef op_name, mlir::NamedAttrList& out);
  void Fail(llvm::StringRef name, mlir::Attribute value);

  mlir::Operation* op_;
  llvm::MapVector<llvm::StringRef, mlir::Attribute> values_;
  bool failed_ = false;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_VHLO_TO_STABLEHLO_ATTRIBUTES_H_
