#include "tenon/compiler/targets/nvptx/nvptx_architecture.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "tenon/compiler/targets/architecture.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/nvptx/approximations.h"
#include "tenon/compiler/targets/nvptx/bf16.h"
#include "tenon/compiler/targets/nvptx/matrix.h"
#include "tenon/compiler/targets/nvptx/ptx.h"
#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {
namespace {

void EmitBarrier(llvm::IRBuilderBase& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {},
                    {b.getInt32(0)});
}

constexpr uint32_t kAllLanes = ~0u;

void EmitWarpBarrier(llvm::IRBuilderBase& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b.getInt32(kAllLanes)});
}

llvm::Value* ReadLane(llvm::IRBuilderBase& b, llvm::Value* value, llvm::Value* lane) {
  constexpr uint32_t kWholeWarp = 31;
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                           {b.getInt32(kAllLanes), value, lane, b.getInt32(kWholeWarp)});
}

llvm::Value* Register(llvm::IRBuilderBase& b, llvm::Intrinsic::ID id) {
  return b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Value*>());
}

DeviceTarget MakeDevice(std::string_view processor, int processors,
                        int64_t dynamic_local_bytes) {
  DeviceTarget device;
  device.format = "ptx";
  device.local_bytes = 48 << 10;
  device.max_atomic_bits = 64;
  device.item_sums = 64;
  device.max_lone_group_items = 512;
  device.dynamic_local_bytes = dynamic_local_bytes;
  device.processors = processors;
  device.group_id = [](llvm::IRBuilderBase& b) {
    return Register(b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  };
  device.local_id = [](llvm::IRBuilderBase& b) {
    return Register(b, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  };
  device.barrier = EmitBarrier;
  device.subgroup_items = 32;
  device.read_lane = ReadLane;
  device.subgroup_barrier = EmitWarpBarrier;
  device.declare_kernel = [](llvm::Function& function, int group_items) {
    SetLaunchBounds(function, {.threads = group_items, .exact = true});
  };
  device.emit = [](llvm::Module& module, const TargetDescription& target,
                   bool ieee_denormals) {
    return EmitPtx(module, {.processor = target.cpu, .flush_denormals = !ieee_denormals});
  };
  device.matrix = &NvptxMatrixInstructions(processor);
  return device;
}

void SetTraits(const Features& features, TargetTraits& traits) {
  // An A100 and an H100. Without wgmma no kernel needs more than the usual local memory,
  // and later processors than sm_80 have less that launches can add.
  static const auto* sm80 = new DeviceTarget(MakeDevice("sm_80", 108, 0));
  static const auto* sm90a = new DeviceTarget(MakeDevice("sm_90a", 132, 227 << 10));
  // As for other devices: see spirv_architecture.cc.
  traits.vector_bits = 64;
  traits.vector_registers = 64;
  traits.cost = CostModel::ForVectorBits(traits.vector_bits);
  traits.cost.min_parallel_ns = traits.cost.min_parallel_phase_ns = 200;
  traits.cost.chunk_ns = traits.cost.product_chunk_ns = 400;
  traits.elementwise.native_f16_conversion = true;
  traits.elementwise.bf16 = &NvptxBf16Instructions();
  traits.elementwise.approximations = &NvptxApproximations();
  traits.elementwise.native_extrema = true;
  traits.elementwise.has_short_nans = false;
  traits.device = features.contains("sm_90a") ? sm90a : sm80;
}

}  // namespace

void AddNvptxArchitecture() {
  Architecture architecture;
  architecture.name = "nvptx64";
  architecture.triple = kPtxTriple;
  architecture.baseline = "sm_80";
  architecture.has_images = true;
  architecture.set_traits = SetTraits;
  architecture.is_device = true;
  AddArchitecture(architecture);
}

}  // namespace tenon::compiler
