// The CHLO dialect, its enumerations and attributes. The ops are in chlo_ops.td
// because they include stablehlo_base.td, and TableGen would generate its enumerations again here.
#ifndef TENON_DIALECTS_CHLO_CHLO_BASE_TD
#define TENON_DIALECTS_CHLO_CHLO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::tenon::chlo";
  let summary = "client operations that decompose into StableHLO ops";
  let dependentDialects = ["::tenon::stablehlo::StableHLODialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
   private:
    void addAttributesOfDialect();

   public:
  }];
}

//===------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------===//

class Chlo_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tenon::chlo";
  let genSpecializedAttr = 0;
}

def Chlo_ComparisonDirection : Chlo_Enum<"ComparisonDirection", "relation of two values", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def Chlo_ComparisonDirectionAttr
    : EnumAttr<Chlo_Dialect, Chlo_ComparisonDirection, "comparison_direction">;

def Chlo_ComparisonType : Chlo_Enum<"ComparisonType", "how values are compared", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
  I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
  I32EnumAttrCase<"UNSIGNED", 4>]>;
def Chlo_ComparisonTypeAttr
    : EnumAttr<Chlo_Dialect, Chlo_ComparisonType, "comparison_type">;

def Chlo_Precision : Chlo_Enum<"Precision", "precision of a contraction operand", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;
def Chlo_PrecisionConfigAttr
    : TypedArrayAttrBase<Chlo_PrecisionAttr, "array of precisions, one per operand">;

def Chlo_Dims : OptionalArrayRefParameter<"int64_t">;
def Chlo_RaggedDotDimensionNumbersAttr
    : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins Chlo_Dims:$lhs_batching_dimensions,
    Chlo_Dims:$rhs_batching_dimensions, Chlo_Dims:$lhs_contracting_dimensions,
    Chlo_Dims:$rhs_contracting_dimensions, Chlo_Dims:$lhs_ragged_dimensions,
    Chlo_Dims:$rhs_group_dimensions);
  let hasCustomAssemblyFormat = 1;
}

#endif  // TENON_DIALECTS_CHLO_CHLO_BASE_TD
