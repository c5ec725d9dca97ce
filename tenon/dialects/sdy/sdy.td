// The part of Shardy's dialect that frameworks send: meshes, shardings, manual computations.
#ifndef TENON_DIALECTS_SDY_SDY_TD
#define TENON_DIALECTS_SDY_SDY_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::tenon::sdy";
  let summary = "How tensors are laid out over a mesh of devices";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
   private:
    void addAttributesOfDialect();

   public:
  }];
}

//===------------------------------------------------------------------------------------===//
// Enumerations
//===------------------------------------------------------------------------------------===//

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection",
    "way in which shardings may pass", [
  I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>, I32EnumAttrCase<"BACKWARD", 2>,
  I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::tenon::sdy";
}

def Sdy_ReductionOp : I32EnumAttr<"ReductionOp", "reduction still to be done over axes", [
  I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
  I32EnumAttrCase<"MIN", 2, "min">]> {
  let cppNamespace = "::tenon::sdy";
}

//===------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------===//

class Sdy_Attr<string name, string mnemonic_> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Sdy_ManualAxesAttr
    : ArrayOfAttr<Sdy_Dialect, "ManualAxes", "manual_axes", "::mlir::StringAttr"> {
  let summary = "axes over which a computation is written for one device";
  let assemblyFormat = "`{` (`}`) : ($value^ `` `}`)?";
}

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "name and size of an axis";
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$size);
  let assemblyFormat = "`` $name `` `=` `` $size";
  let genVerifyDecl = 1;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "devices arranged along named axes";
  let description = [{
    A mesh without axes and with one device id places everything on that device. Device ids
    that are 0, 1, ... in order are omitted.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::tenon::sdy::MeshAxisAttr">:$axes,
    OptionalArrayRefParameter<"int64_t">:$device_ids);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($axes^ `]`)? (`,` `device_ids` `` `=` `` `[` $device_ids^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The number of devices; 1 for a mesh without axes.
    int64_t getTotalSize() const;
    // The size of the named axis; nullopt if the mesh has no such axis.
    std::optional<int64_t> getAxisSize(::llvm::StringRef axis) const;
  }];
}

def Sdy_SubAxisInfoAttr : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "part of an axis: the product of sizes before it and its own size";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
  let genVerifyDecl = 1;
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "an axis or a part of one";
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
    OptionalParameter<"::tenon::sdy::SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`` $name (`` `:` `` $sub_axis_info^)?";
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name), [{
    return $_get($_ctxt, name, ::tenon::sdy::SubAxisInfoAttr());
  }]>];
}

def Sdy_AxisRefs : OptionalArrayRefParameter<"::tenon::sdy::AxisRefAttr">;

def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "axes that split a dimension, major first";
  let parameters = (ins Sdy_AxisRefs:$axes, "bool":$is_closed,
    OptionalParameter<"std::optional<int64_t>">:$priority);
  let hasCustomAssemblyFormat = 1;
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "how a tensor is split over a mesh (a symbol or a mesh attribute)";
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
    OptionalArrayRefParameter<"::tenon::sdy::DimensionShardingAttr">:$dim_shardings,
    Sdy_AxisRefs:$replicated_axes, Sdy_AxisRefs:$unreduced_axes,
    "::tenon::sdy::ReductionOp":$reduction_op);
  let builders = [AttrBuilder<(ins "::mlir::Attribute":$mesh_or_ref,
      "::llvm::ArrayRef<DimensionShardingAttr>":$dim_shardings,
      "::llvm::ArrayRef<AxisRefAttr>":$replicated_axes,
      "::llvm::ArrayRef<AxisRefAttr>":$unreduced_axes), [{
    return $_get($_ctxt, mesh_or_ref, dim_shardings, replicated_axes, unreduced_axes,
                 ::tenon::sdy::ReductionOp::SUM);
  }]>];
  let assemblyFormat = [{
    `<` custom<MeshOrRef>($mesh_or_ref) `,` `[` (`]`) : ($dim_shardings^ `]`)? ``
      custom<RemainingAxes>($replicated_axes, $unreduced_axes, $reduction_op) `>`
  }];
  let genVerifyDecl = 1;
}

def Sdy_TensorShardingPerValueAttr
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "a sharding for each of several tensors";
  let parameters = (ins
    OptionalArrayRefParameter<"::tenon::sdy::TensorShardingAttr">:$shardings);
  let assemblyFormat = "`<` `[` (`]`) : ($shardings^ `]`)? `>`";
}

// Factors print as letters: 0 is `i`, 17 is `z`, 18 is `z_1`.
def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "factors of a dimension in a sharding rule";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
  let hasCustomAssemblyFormat = 1;
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "factors of a tensor in a sharding rule";
  let parameters = (ins
    OptionalArrayRefParameter<"::tenon::sdy::DimMappingAttr">:$dim_mappings);
  let assemblyFormat = "`` `[` (`]`) : ($dim_mappings^ `]`)? ``";
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "how the dimensions of an op's operands and results correspond";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_sizes,
    OptionalArrayRefParameter<"::tenon::sdy::TensorMappingAttr">:$operand_mappings,
    OptionalArrayRefParameter<"::tenon::sdy::TensorMappingAttr">:$result_mappings,
    OptionalArrayRefParameter<"int64_t">:$reduction_factors,
    OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
    OptionalArrayRefParameter<"int64_t">:$permutation_factors,
    OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
    DefaultValuedParameter<"bool", "false">:$is_custom_rule);
  let assemblyFormat = [{
    `<` `(` $operand_mappings `)` `` `->` `` `(` $result_mappings `)` ``
      custom<FactorSizes>($factor_sizes) ``
      custom<Factors>($reduction_factors, "\"reduction\"") ``
      custom<Factors>($need_replication_factors, "\"need_replication\"") ``
      custom<Factors>($permutation_factors, "\"permutation\"") ``
      custom<Factors>($blocked_propagation_factors, "\"blocked_propagation\"") ``
      custom<IsCustomRule>($is_custom_rule) `>`
  }];
}

//===------------------------------------------------------------------------------------===//
// Ops
//===------------------------------------------------------------------------------------===//

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "names a mesh";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint", [SameOperandsAndResultType]> {
  let summary = "requires a sharding of its operand";
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "moves its operand to another sharding";
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region of this dialect";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::tenon::sdy::ReturnOp">, IsolatedFromAbove]> {
  let summary = "a computation in per-device shapes along the manual axes";
  let arguments = (ins Variadic<AnyType>:$tensors,
    Sdy_TensorShardingPerValueAttr:$in_shardings,
    Sdy_TensorShardingPerValueAttr:$out_shardings, Sdy_ManualAxesAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<BodyWithArguments>($body)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "puts its operand into a group of tensors that are sharded alike";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

// Only between the compiler's preparation of a program and the end of propagation.
def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "stands for all values that one value of control flow becomes";
  let description = [{
    The operand, its only use, is a result or a block argument of an op whose regions pass
    values on, such as a loop. All of them must have one sharding, that of this op's result.
    Not pure, so that it keeps its operand's op.
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Sdy_PropagationBarrierOp
    : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "allows sharding propagation in some directions only";
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)
  }];
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::tenon::sdy::ReturnOp">, RecursivelySpeculatable,
    IsolatedFromAbove]> {
  let summary = "a group of ops with a name";
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
    OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
    OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)?
    custom<BodyWithArguments>($body)
    attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_SDY_SDY_TD
