// Communication between replicas and partitions, and with the host.
#ifndef TENON_DIALECTS_STABLEHLO_COLLECTIVE_OPS_TD
#define TENON_DIALECTS_STABLEHLO_COLLECTIVE_OPS_TD

include "tenon/dialects/stablehlo/stablehlo_base.td"

def StableHLO_InfeedResource : Resource<"::tenon::stablehlo::InfeedResource">;
def StableHLO_OutfeedResource : Resource<"::tenon::stablehlo::OutfeedResource">;
def StableHLO_SendResource : Resource<"::tenon::stablehlo::SendResource">;
def StableHLO_RecvResource : Resource<"::tenon::stablehlo::RecvResource">;

// Neither pure nor speculatable: all members of a group must execute the same collectives.
class StableHLO_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits>;

def StableHLO_AllGatherOp : StableHLO_CollectiveOp<"all_gather",
    [StableHLO_PairwiseCompatibleElementTypes]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
    StableHLO_NonNegativeI64Attr:$all_gather_dim, StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasVerifier = 1;
}

def StableHLO_AllReduceOp : StableHLO_CollectiveOp<"all_reduce",
    [StableHLO_ReturnTerminator]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_ReduceScatterOp : StableHLO_CollectiveOp<"reduce_scatter",
    [StableHLO_ReturnTerminator]> {
  let arguments = (ins StableHLO_Tensor:$operand,
    StableHLO_NonNegativeI64Attr:$scatter_dimension, StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_AllToAllOp : StableHLO_CollectiveOp<"all_to_all",
    [StableHLO_PairwiseCompatibleElementTypes]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
    StableHLO_NonNegativeI64Attr:$split_dimension,
    StableHLO_NonNegativeI64Attr:$concat_dimension, StableHLO_PositiveI64Attr:$split_count,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasVerifier = 1;
}

def StableHLO_CollectiveBroadcastOp : StableHLO_CollectiveOp<"collective_broadcast"> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle, UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasVerifier = 1;
}

def StableHLO_CollectiveReduceOp : StableHLO_CollectiveOp<"collective_reduce",
    [StableHLO_ReturnTerminator]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids, UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_CollectivePermuteOp : StableHLO_CollectiveOp<"collective_permute",
    [StableHLO_CompatibleTypes]> {  // collective_permute_c5
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_CrossReplicaSumOp : StableHLO_CollectiveOp<"cross-replica-sum",
    [StableHLO_CompatibleTypes]> {
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_AsyncStartOp : StableHLO_CollectiveOp<"async_start",
    [StableHLO_ReturnTerminator, IsolatedFromAbove]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_Future:$result);
  let hasRegionVerifier = 1;
}

def StableHLO_AsyncDoneOp : StableHLO_CollectiveOp<"async_done"> {
  let arguments = (ins StableHLO_Future:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_ReplicaIdOp : StableHLO_Op<"replica_id", [Pure]> {
  let results = (outs StableHLO_UI32Tensor:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
  let hasVerifier = 1;
}

def StableHLO_PartitionIdOp : StableHLO_Op<"partition_id", [Pure]> {
  let results = (outs StableHLO_UI32Tensor:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
  let hasVerifier = 1;
}

def StableHLO_InfeedOp : StableHLO_Op<"infeed", [
    MemoryEffects<[MemRead<StableHLO_InfeedResource>, MemWrite<StableHLO_InfeedResource>]>]> {
  let arguments = (ins StableHLO_Token:$token,
    DefaultValuedStrAttr<StrAttr, "">:$infeed_config, OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<StableHLO_StaticQTensorOrToken>:$results);
  let hasVerifier = 1;
}

def StableHLO_OutfeedOp : StableHLO_Op<"outfeed", [MemoryEffects<
    [MemRead<StableHLO_OutfeedResource>, MemWrite<StableHLO_OutfeedResource>]>]> {
  let arguments = (ins Variadic<StableHLO_QTensor>:$inputs, StableHLO_Token:$token,
    DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs StableHLO_Token:$result);
}

def StableHLO_SendOp : StableHLO_Op<"send", [
    MemoryEffects<[MemRead<StableHLO_SendResource>, MemWrite<StableHLO_SendResource>]>]> {
  let arguments = (ins Variadic<StableHLO_QTensor>:$inputs, StableHLO_Token:$token,
    StableHLO_ChannelHandleAttr:$channel_handle,
    StableHLO_FalseByDefaultAttr:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_Token:$result);
  let hasVerifier = 1;
}

def StableHLO_RecvOp : StableHLO_Op<"recv", [
    MemoryEffects<[MemRead<StableHLO_RecvResource>, MemWrite<StableHLO_RecvResource>]>]> {
  let arguments = (ins StableHLO_Token:$token, StableHLO_ChannelHandleAttr:$channel_handle,
    StableHLO_FalseByDefaultAttr:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<StableHLO_StaticQTensorOrToken>:$results);
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_COLLECTIVE_OPS_TD
