#include "tenon/dialects/tenon/element_types.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::ir {
namespace {

ElementType IntegerTypeOf(mlir::IntegerType type) {
  bool is_unsigned = type.isUnsigned();
  switch (type.getWidth()) {
    case 1:
      return ElementType::kPred;
    case 2:
      return is_unsigned ? ElementType::kU2 : ElementType::kS2;
    case 4:
      return is_unsigned ? ElementType::kU4 : ElementType::kS4;
    case 8:
      return is_unsigned ? ElementType::kU8 : ElementType::kS8;
    case 16:
      return is_unsigned ? ElementType::kU16 : ElementType::kS16;
    case 32:
      return is_unsigned ? ElementType::kU32 : ElementType::kS32;
    case 64:
      return is_unsigned ? ElementType::kU64 : ElementType::kS64;
    default:
      return ElementType::kInvalid;
  }
}

}  // namespace

ElementType ElementTypeOf(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, ElementType>(type)
      .Case([](mlir::IntegerType t) { return IntegerTypeOf(t); })
      .Case([](mlir::Float16Type) { return ElementType::kF16; })
      .Case([](mlir::BFloat16Type) { return ElementType::kBF16; })
      .Case([](mlir::Float32Type) { return ElementType::kF32; })
      .Case([](mlir::Float64Type) { return ElementType::kF64; })
      .Case([](mlir::Float8E5M2Type) { return ElementType::kF8E5M2; })
      .Case([](mlir::Float8E4M3FNType) { return ElementType::kF8E4M3FN; })
      .Case([](mlir::Float8E4M3B11FNUZType) { return ElementType::kF8E4M3B11FNUZ; })
      .Case([](mlir::Float8E5M2FNUZType) { return ElementType::kF8E5M2FNUZ; })
      .Case([](mlir::Float8E4M3FNUZType) { return ElementType::kF8E4M3FNUZ; })
      .Case([](mlir::Float8E4M3Type) { return ElementType::kF8E4M3; })
      .Case([](mlir::Float8E3M4Type) { return ElementType::kF8E3M4; })
      .Case([](mlir::Float8E8M0FNUType) { return ElementType::kF8E8M0FNU; })
      .Case([](mlir::Float4E2M1FNType) { return ElementType::kF4E2M1FN; })
      .Case([](mlir::Float6E2M3FNType) { return ElementType::kF6E2M3FN; })
      .Case([](mlir::Float6E3M2FNType) { return ElementType::kF6E3M2FN; })
      .Case([](mlir::ComplexType t) {
        if (t.getElementType().isF32()) return ElementType::kC64;
        if (t.getElementType().isF64()) return ElementType::kC128;
        return ElementType::kInvalid;
      })
      .Default([](mlir::Type) { return ElementType::kInvalid; });
}

ElementType ElementTypeOfShaped(mlir::Type type) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  return shaped ? ElementTypeOf(shaped.getElementType()) : ElementType::kInvalid;
}

mlir::Type MlirTypeOf(ElementType type, mlir::MLIRContext* context) {
  auto integer = [&](unsigned width, bool is_unsigned) {
    return mlir::IntegerType::get(
        context, width,
        is_unsigned ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
  };
  switch (type) {
    case ElementType::kPred:
      return integer(1, false);
    case ElementType::kS2:
      return integer(2, false);
    case ElementType::kS4:
      return integer(4, false);
    case ElementType::kS8:
      return integer(8, false);
    case ElementType::kS16:
      return integer(16, false);
    case ElementType::kS32:
      return integer(32, false);
    case ElementType::kS64:
      return integer(64, false);
    case ElementType::kU2:
      return integer(2, true);
    case ElementType::kU4:
      return integer(4, true);
    case ElementType::kU8:
      return integer(8, true);
    case ElementType::kU16:
      return integer(16, true);
    case ElementType::kU32:
      return integer(32, true);
    case ElementType::kU64:
      return integer(64, true);
    case ElementType::kF16:
      return mlir::Float16Type::get(context);
    case ElementType::kBF16:
      return mlir::BFloat16Type::get(context);
    case ElementType::kF32:
      return mlir::Float32Type::get(context);
    case ElementType::kF64:
      return mlir::Float64Type::get(context);
    case ElementType::kF8E5M2:
      return mlir::Float8E5M2Type::get(context);
    case ElementType::kF8E4M3FN:
      return mlir::Float8E4M3FNType::get(context);
    case ElementType::kF8E4M3B11FNUZ:
      return mlir::Float8E4M3B11FNUZType::get(context);
    case ElementType::kF8E5M2FNUZ:
      return mlir::Float8E5M2FNUZType::get(context);
    case ElementType::kF8E4M3FNUZ:
      return mlir::Float8E4M3FNUZType::get(context);
    case ElementType::kF8E4M3:
      return mlir::Float8E4M3Type::get(context);
    case ElementType::kF8E3M4:
      return mlir::Float8E3M4Type::get(context);
    case ElementType::kF8E8M0FNU:
      return mlir::Float8E8M0FNUType::get(context);
    case ElementType::kF4E2M1FN:
      return mlir::Float4E2M1FNType::get(context);
    case ElementType::kF6E2M3FN:
      return mlir::Float6E2M3FNType::get(context);
    case ElementType::kF6E3M2FN:
      return mlir::Float6E3M2FNType::get(context);
    case ElementType::kC64:
      return mlir::ComplexType::get(mlir::Float32Type::get(context));
    case ElementType::kC128:
      return mlir::ComplexType::get(mlir::Float64Type::get(context));
    case ElementType::kToken:
    case ElementType::kInvalid:
      return mlir::NoneType::get(context);
  }
  return mlir::NoneType::get(context);
}

}  // namespace tenon::ir
