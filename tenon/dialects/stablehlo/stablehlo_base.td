// The dialect, its enumerations, types, attributes and the operand type constraints shared by
// all op families. Names follow the StableHLO specification.
#ifndef TENON_DIALECTS_STABLEHLO_STABLEHLO_BASE_TD
#define TENON_DIALECTS_STABLEHLO_STABLEHLO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::tenon::stablehlo";
  let summary = "The StableHLO operation set";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  // The dialect overrides parseAttribute and printAttribute for the short form of bounds.
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  // Registration is split by op family, so that no source file instantiates all 118 op models.
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Operation *materializeConstant(::mlir::OpBuilder &builder,
                                           ::mlir::Attribute value, ::mlir::Type type,
                                           ::mlir::Location loc) override;

   private:
    void addAttributesOfDialect();
    void addTypesOfDialect();
    void addUnaryOps();
    void addBinaryOps();
    void addShapeOps();
    void addIndexingOps();
    void addReductionOps();
    void addContractionOps();
    void addControlFlowOps();
    void addCallOps();
    void addCollectiveOps();

   public:
  }];
}

//===------------------------------------------------------------------------------------===//
// Enumerations
//===------------------------------------------------------------------------------------===//

class StableHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tenon::stablehlo";
  let genSpecializedAttr = 0;
}

class StableHLO_EnumAttr<EnumAttrInfo enum, string mnemonic>
    : EnumAttr<StableHLO_Dialect, enum, mnemonic>;

def StableHLO_Precision : StableHLO_Enum<"Precision", "precision of a contraction operand", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr : StableHLO_EnumAttr<StableHLO_Precision, "precision">;
def StableHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<StableHLO_PrecisionAttr, "array of precisions, one per operand">;

def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode",
    "how the accuracy of a transcendental function is requested", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
  I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def StableHLO_FftType : StableHLO_Enum<"FftType", "kind of a Fourier transform", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
  I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;

// Stored as a plain i32, so it keeps the specialized IntegerAttr class.
def StableHLO_CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion",
    "calling convention of a custom call", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::tenon::stablehlo";
}

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection",
    "relation that a comparison tests", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType",
    "order in which a comparison sees its operands", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
  I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
  I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose", "form in which a matrix is used", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution",
    "distribution of random numbers", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm", "generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
  I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;

//===------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------===//

def StableHLO_TokenType : TypeDef<StableHLO_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "orders side effects; holds no data";
}

def StableHLO_FutureType : TypeDef<StableHLO_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "results of an operation in flight";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

//===------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------===//

class StableHLO_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<StableHLO_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

// Prints as `[0, 1]`, empty as `[]`.
def StableHLO_Dims : ArrayRefParameter<"int64_t", "dimension numbers"> {
  let parser = "parseDims($_parser)";
  let printer = "printDims($_printer, $_self)";
}

def StableHLO_ScatterDimensionNumbersAttr
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "dimension numbers of scatter";
  let parameters = (ins StableHLO_Dims:$updateWindowDims, StableHLO_Dims:$insertedWindowDims,
    StableHLO_Dims:$inputBatchingDims, StableHLO_Dims:$scatterIndicesBatchingDims,
    StableHLO_Dims:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_GatherDimensionNumbersAttr : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "dimension numbers of gather";
  let parameters = (ins StableHLO_Dims:$offsetDims, StableHLO_Dims:$collapsedSliceDims,
    StableHLO_Dims:$operandBatchingDims, StableHLO_Dims:$startIndicesBatchingDims,
    StableHLO_Dims:$startIndexMap, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_DotDimensionNumbersAttr : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "dimension numbers of dot_general";
  let parameters = (ins StableHLO_Dims:$lhsBatchingDimensions,
    StableHLO_Dims:$rhsBatchingDimensions, StableHLO_Dims:$lhsContractingDimensions,
    StableHLO_Dims:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_DotAlgorithmAttr : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "arithmetic that dot_general must use";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount, "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,`
        `rhs_precision_type` `=` $rhsPrecisionType `,`
        `accumulation_type` `=` $accumulationType `,`
        `lhs_component_count` `=` $lhsComponentCount `,`
        `rhs_component_count` `=` $rhsComponentCount `,`
        `num_primitive_operations` `=` $numPrimitiveOperations `,`
        `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
  let genVerifyDecl = 1;
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "an output of a custom call that shares storage with an operand";
  let parameters = (ins StableHLO_Dims:$outputTupleIndices, "int64_t":$operandIndex,
    StableHLO_Dims:$operandTupleIndices);
  let assemblyFormat = [{
    `<` `output_tuple_indices` `=` $outputTupleIndices `,`
        `operand_index` `=` $operandIndex `,`
        `operand_tuple_indices` `=` $operandTupleIndices `>`
  }];
}

def StableHLO_ChannelHandleAttr : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "number and kind of a communication channel";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_TypeExtensionsAttr : StableHLO_Attr<"TypeExtensions", "type_extensions", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of the dynamic dimensions of a tensor, as its encoding";
  let description = [{
    One bound per dimension: ShapedType::kDynamic (`?`) for a static or unbounded dimension.
    Prints as `#stablehlo.bounds<?, 4>`; the long form `#stablehlo.type_extensions<bounds =
    [?, 4]>` parses too.
  }];
  let parameters = (ins StableHLO_Dims:$bounds);
  let assemblyFormat = "`<` `bounds` `=` $bounds `>`";
}

def StableHLO_ConvDimensionNumbersAttr : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "dimension numbers of a convolution";
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
    StableHLO_Dims:$inputSpatialDimensions, "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension, StableHLO_Dims:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
    StableHLO_Dims:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ResultAccuracyAttr : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "accuracy requested of a transcendental function";
  let parameters = (ins APFloatParameter<"absolute tolerance">:$atol,
    APFloatParameter<"relative tolerance">:$rtol, "int64_t":$ulps,
    "::tenon::stablehlo::ResultAccuracyModeAttr":$mode);
  let builders = [AttrBuilder<(ins "::tenon::stablehlo::ResultAccuracyMode":$mode), [{
    return $_get($_ctxt, ::llvm::APFloat(0.0), ::llvm::APFloat(0.0), int64_t{0},
                 ::tenon::stablehlo::ResultAccuracyModeAttr::get($_ctxt, mode));
  }]>];
  let constBuilderCall =
    "::tenon::stablehlo::ResultAccuracyAttr::get($_builder.getContext(), $0)";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def StableHLO_SubAxisInfoAttr : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "part of a mesh axis: the product of sizes before it and its own size";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def StableHLO_AxisRefAttr : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis or a part of one";
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
    OptionalParameter<"::tenon::stablehlo::SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_MeshAxisAttr : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "name and size of a mesh axis";
  let parameters = (ins StringRefParameter<"name of the axis">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_MeshAttr : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "named axes over devices";
  let parameters = (ins ArrayRefParameter<"::tenon::stablehlo::MeshAxisAttr">:$axes,
    OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]` (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}

def StableHLO_ReplicaGroupMeshAxesAttr
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups given by axes of a mesh (a symbol or a mesh attribute)";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

// Replica groups: a matrix of device numbers (rows padded with -1) or axes of a mesh.
def StableHLO_ReplicaGroups
    : AnyAttrOf<[I64ElementsAttr, StableHLO_ReplicaGroupMeshAxesAttr]>;

class StableHLO_IndexVectorAttrBase<string description> : Attr<
    And<[IndexElementsAttr.predicate, CPred<
      "::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getType().getRank() == 1">]>,
    description> {
  let storageType = IndexElementsAttr.storageType;
  let returnType = IndexElementsAttr.returnType;
  let convertFromStorage = IndexElementsAttr.convertFromStorage;
}
def StableHLO_LayoutAttr : StableHLO_IndexVectorAttrBase<"1-d tensor of index (layout)">;
def StableHLO_ArrayOfLayoutAttr
    : TypedArrayAttrBase<StableHLO_LayoutAttr, "array of layouts">;
def StableHLO_ArrayOfTilingAttr : TypedArrayAttrBase<
    TypedArrayAttrBase<StableHLO_LayoutAttr, "tiling (array of 1-d tensors of index)">,
    "array of tilings">;
def StableHLO_FlatSymbolRefArrayAttr
    : TypedArrayAttrBase<FlatSymbolRefAttr, "array of flat symbol references"> {
  let constBuilderCall = "::mlir::ArrayAttr::get($_builder.getContext(), $0)";
}
def StableHLO_OutputOperandAliasArrayAttr
    : TypedArrayAttrBase<StableHLO_OutputOperandAliasAttr, "array of output operand aliases">;

def StableHLO_NonNegativeI64Attr : ConfinedAttr<I64Attr, [IntNonNegative]>;
def StableHLO_PositiveI64Attr : ConfinedAttr<I64Attr, [IntPositive]>;
def StableHLO_FalseByDefaultAttr : DefaultValuedOptionalAttr<BoolAttr, "false">;

//===------------------------------------------------------------------------------------===//
// Type constraints
//===------------------------------------------------------------------------------------===//

def StableHLO_Pred : TypeAlias<I1, "bool">;
def StableHLO_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def StableHLO_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def StableHLO_Int : AnyTypeOf<[StableHLO_SInt, StableHLO_UInt], "integer">;
def StableHLO_Float : AnyTypeOf<[F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN,
  F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, BF16, F16, F32, F64], "float">;
def StableHLO_Complex : Complex<AnyTypeOf<[F32, F64]>>;
def StableHLO_Quantized
    : Type<CPred<"::tenon::stablehlo::IsPerTensorQuantized($_self)">,
           "per-tensor quantized integer">;
def StableHLO_PerAxisQuantized
    : Type<CPred<"::tenon::stablehlo::IsPerAxisQuantized($_self)">,
           "per-axis quantized integer">;
def StableHLO_DimensionValue : AnyTypeOf<[Index, StableHLO_Int], "index or integer">;

def StableHLO_QuantizedDimensionPred
    : CPred<"::tenon::stablehlo::HasValidQuantizedDimension($_self)">;
def StableHLO_StaticOrBoundedPred
    : Or<[HasStaticShapePred, CPred<"::tenon::stablehlo::HasSingleBoundedDimension($_self)">]>;

// Naming: Tensor excludes per-axis quantized element types; QTensor includes them.
defvar scalars = [StableHLO_Float, StableHLO_Pred, StableHLO_Int, StableHLO_Complex];
defvar elements = !listconcat(scalars, [StableHLO_Quantized]);
defvar qelements = !listconcat(elements, [StableHLO_PerAxisQuantized]);

def StableHLO_Tensor : RankedTensorOf<elements>;
def StableHLO_QTensor : RankedTensorOf<qelements, [StableHLO_QuantizedDimensionPred]>;
def StableHLO_PlainTensor : RankedTensorOf<scalars>;
def StableHLO_PredTensor : RankedTensorOf<[StableHLO_Pred]>;
def StableHLO_IntTensor : RankedTensorOf<[StableHLO_Int]>;
def StableHLO_PredOrIntTensor : RankedTensorOf<[StableHLO_Pred, StableHLO_Int]>;
def StableHLO_FloatTensor : RankedTensorOf<[StableHLO_Float]>;
def StableHLO_F32OrF64Tensor : RankedTensorOf<[F32, F64]>;
def StableHLO_ComplexTensor : RankedTensorOf<[StableHLO_Complex]>;
def StableHLO_FloatOrComplexTensor : RankedTensorOf<[StableHLO_Float, StableHLO_Complex]>;
def StableHLO_FloatOrQuantizedTensor : RankedTensorOf<[StableHLO_Float, StableHLO_Quantized]>;
def StableHLO_FloatVector : 1DTensorOf<[StableHLO_Float, StableHLO_Quantized]>;
// Operands of transcendental functions.
def StableHLO_MathTensor
    : RankedTensorOf<[StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;
// Operands of arithmetic.
def StableHLO_NumericTensor
    : RankedTensorOf<[StableHLO_Int, StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_SignedTensor : RankedTensorOf<[StableHLO_SInt, StableHLO_Float,
                                             StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_IntOrFloatTensor : RankedTensorOf<[StableHLO_Int, StableHLO_Float]>;
def StableHLO_PredIntOrFloatTensor
    : RankedTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>;
def StableHLO_AnyQuantizedTensor : RankedTensorOf<
    [StableHLO_Quantized, StableHLO_PerAxisQuantized], [StableHLO_QuantizedDimensionPred]>;
def StableHLO_FloatOrAnyQuantizedTensor : RankedTensorOf<
    [StableHLO_Float, StableHLO_Quantized, StableHLO_PerAxisQuantized],
    [StableHLO_QuantizedDimensionPred]>;
def StableHLO_Scalar : 0DTensorOf<elements>;
def StableHLO_IntScalar : 0DTensorOf<[StableHLO_Int]>;
def StableHLO_PredIntOrFloatScalar
    : 0DTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>;
def StableHLO_I32Tensor : RankedTensorOf<[I32]>;
def StableHLO_UI32Tensor : RankedTensorOf<[UI32]>;
def StableHLO_DimensionVector : 1DTensorOf<[StableHLO_DimensionValue]>;
def StableHLO_StaticDimensionVector : RankedTensorOf<[StableHLO_DimensionValue],
    [HasStaticShapePred, HasAnyRankOfPred<[1]>], "static 1-d tensor">;
def StableHLO_StaticIntVector : RankedTensorOf<[StableHLO_Int],
    [HasStaticShapePred, HasAnyRankOfPred<[1]>], "static 1-d tensor">;
def StableHLO_StaticIntMatrix : RankedTensorOf<[StableHLO_Int],
    [HasStaticShapePred, HasAnyRankOfPred<[2]>], "static 2-d tensor">;
def StableHLO_StaticQTensor : RankedTensorOf<qelements,
    [StableHLO_QuantizedDimensionPred, HasStaticShapePred], "static tensor">;
def StableHLO_StaticOrBoundedQTensor : RankedTensorOf<qelements,
    [StableHLO_QuantizedDimensionPred, StableHLO_StaticOrBoundedPred],
    "static or bounded tensor">;
def StableHLO_StaticNumericTensor : RankedTensorOf<
    [StableHLO_Int, StableHLO_Float, StableHLO_Complex, StableHLO_Quantized],
    [HasStaticShapePred], "static tensor">;
def StableHLO_StaticIntOrFloatTensor
    : RankedTensorOf<[StableHLO_Int, StableHLO_Float], [HasStaticShapePred], "static tensor">;

def StableHLO_Token
    : Type<CPred<"::llvm::isa<::tenon::stablehlo::TokenType>($_self)">, "token",
           "::tenon::stablehlo::TokenType">;
def StableHLO_Future
    : Type<CPred<"::llvm::isa<::tenon::stablehlo::FutureType>($_self)">, "future",
           "::tenon::stablehlo::FutureType">;
def StableHLO_Buffer : MemRefOf<elements>;
def StableHLO_Tuple
    : NestedTupleOf<[StableHLO_QTensor, StableHLO_Buffer, StableHLO_Token]>;
def StableHLO_TensorOrToken : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token]>;
def StableHLO_QTensorOrToken : AnyTypeOf<[StableHLO_QTensor, StableHLO_Token]>;
def StableHLO_StaticQTensorOrToken : AnyTypeOf<[StableHLO_StaticQTensor, StableHLO_Token]>;
// Operands and results of control flow.
def StableHLO_FlowValue
    : AnyTypeOf<[StableHLO_QTensor, StableHLO_Token, StableHLO_Buffer]>;
def StableHLO_CompositeValue
    : AnyTypeOf<[StableHLO_QTensor, StableHLO_Token, StableHLO_Tuple]>;
def StableHLO_TupleElement
    : AnyTypeOf<[StableHLO_QTensor, StableHLO_Token, StableHLO_Tuple, StableHLO_Buffer]>;
// Only custom calls take unranked tensors.
def StableHLO_AnyTensor : TensorOf<qelements, [StableHLO_QuantizedDimensionPred]>;
def StableHLO_CustomCallValue : AnyTypeOf<[StableHLO_AnyTensor, StableHLO_Buffer,
    StableHLO_Token, NestedTupleOf<[StableHLO_AnyTensor, StableHLO_Buffer, StableHLO_Token]>,
    StableHLO_Future]>;

//===------------------------------------------------------------------------------------===//
// Traits and op base classes
//===------------------------------------------------------------------------------------===//

class StableHLO_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::tenon::stablehlo::trait";
}
// All operand and result types equal up to dynamic sizes, bounds and quantization parameters.
def StableHLO_CompatibleTypes : StableHLO_Trait<"CompatibleTypes">;
// All element types equal up to quantization parameters.
def StableHLO_CompatibleElementTypes : StableHLO_Trait<"CompatibleElementTypes">;
// One result per operand, of a compatible type.
def StableHLO_PairwiseCompatibleTypes : StableHLO_Trait<"PairwiseCompatibleTypes">;
// One result per operand, of a compatible element type.
def StableHLO_PairwiseCompatibleElementTypes
    : StableHLO_Trait<"PairwiseCompatibleElementTypes">;
// Each region has one block, terminated by stablehlo.return.
def StableHLO_ReturnTerminator
    : SingleBlockImplicitTerminator<"::tenon::stablehlo::ReturnOp">;

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits>;

#endif  // TENON_DIALECTS_STABLEHLO_STABLEHLO_BASE_TD
