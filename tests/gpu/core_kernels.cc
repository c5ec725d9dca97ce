#include "tests/gpu/core_kernels.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "tenon/compiler/targets/nvptx/matrix.h"
#include "tenon/compiler/targets/nvptx/ptx.h"

namespace tenon::gpu_test {
namespace {

using codegen::MatrixProduct;
using compiler::MatrixInstructions;

constexpr unsigned kGlobal = 1, kLocal = 3;
constexpr int64_t kMaxStaticBytes = 48 << 10;

int64_t Padded(int64_t elements, ElementType type) {
  const int64_t unit = MatrixInstructions::kCopyBytes / ElementBytes(type);
  return (elements + unit - 1) / unit * unit;
}

llvm::Type* ElementLlvmType(llvm::IRBuilderBase& b, ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return b.getDoubleTy();
    case ElementType::kF32:
      return b.getFloatTy();
    case ElementType::kF16:
      return b.getHalfTy();
    case ElementType::kBF16:
      return b.getBFloatTy();
    default:
      return b.getIntNTy(static_cast<unsigned>(ElementBits(type)));
  }
}

llvm::Value* Register(llvm::IRBuilderBase& b, llvm::Intrinsic::ID id) {
  return b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Value*>());
}

void Barrier(llvm::IRBuilderBase& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {},
                    {b.getInt32(0)});
}

codegen::MatrixOperand Operand(llvm::IRBuilder<>& b, const ProductSpec& spec,
                               llvm::Value* pointer, bool along_depth, int64_t stride) {
  codegen::MatrixOperand operand;
  operand.pointer = pointer;
  operand.side_stride = along_depth ? stride : 1;
  operand.depth_stride = along_depth ? 1 : stride;
  if (spec.copies) return operand;
  operand.loads_along_depth = along_depth;
  operand.load = [&b, &spec, pointer, along_depth, stride](
                     llvm::Value* side, llvm::Value* k) -> StatusOr<llvm::Value*> {
    llvm::Value* offset = b.CreateAdd(
        b.CreateMul(along_depth ? side : k, b.getInt64(static_cast<uint64_t>(stride))),
        along_depth ? k : side);
    llvm::Type* type = ElementLlvmType(b, spec.operand);
    return b.CreateLoad(type, b.CreateGEP(type, pointer, offset));
  };
  return operand;
}

Status Store(llvm::IRBuilder<>& b, const ProductSpec& spec, llvm::Value* bias,
             llvm::Value* result, llvm::Value* row, llvm::Value* column,
             llvm::ArrayRef<llvm::Value*> sums) {
  llvm::Type* element =
      spec.narrow_result ? ElementLlvmType(b, spec.operand) : sums[0]->getType();
  auto* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(sums.size()));
  llvm::Value* values = llvm::PoisonValue::get(type);
  for (size_t i = 0; i < sums.size(); ++i) {
    llvm::Value* value = sums[i];
    if (spec.bias_relu) {
      llvm::Value* address =
          b.CreateGEP(b.getFloatTy(), bias, b.CreateAdd(column, b.getInt64(i)));
      value = b.CreateFAdd(value, b.CreateLoad(b.getFloatTy(), address));
      value = b.CreateMaximum(value, llvm::ConstantFP::get(b.getFloatTy(), 0));
    }
    if (spec.narrow_result) value = b.CreateFPTrunc(value, element);
    values = b.CreateInsertElement(values, value, i);
  }
  llvm::Value* offset = b.CreateAdd(
      b.CreateMul(row, b.getInt64(static_cast<uint64_t>(spec.columns))), column);
  const bool aligned = spec.columns % static_cast<int64_t>(sums.size()) == 0;
  const uint64_t bytes = element->getPrimitiveSizeInBits() / 8;
  b.CreateAlignedStore(values, b.CreateGEP(element, result, offset),
                       llvm::Align(aligned ? bytes * sums.size() : bytes));
  return OkStatus();
}

}  // namespace

int64_t ProductSpec::lhs_stride() const {
  return Padded(lhs_along_depth ? depth : rows, operand);
}

int64_t ProductSpec::rhs_stride() const {
  return Padded(rhs_along_depth ? depth : columns, operand);
}

StatusOr<ProductKernel> AddProduct(llvm::Module& module, const ProductSpec& spec) {
  llvm::IRBuilder<> b(module.getContext());
  const MatrixInstructions& instructions =
      compiler::NvptxMatrixInstructions(spec.wide ? spec.processor : "sm_80");
  llvm::Type* pointer = b.getPtrTy(kGlobal);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, pointer}, false),
      llvm::Function::ExternalLinkage, spec.name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));

  MatrixProduct product;
  product.rows = spec.rows;
  product.columns = spec.columns;
  product.depth = spec.depth;
  product.operand = spec.operand;
  product.lhs =
      Operand(b, spec, function->getArg(0), spec.lhs_along_depth, spec.lhs_stride());
  product.rhs =
      Operand(b, spec, function->getArg(1), spec.rhs_along_depth, spec.rhs_stride());
  product.stores_units = true;
  product.store = [&](llvm::Value* row, llvm::Value* column,
                      llvm::ArrayRef<llvm::Value*> sums) {
    return Store(b, spec, function->getArg(2), function->getArg(3), row, column, sums);
  };
  for (const compiler::FragmentProduct& known : instructions.products)
    if (known.operand == spec.operand) product.sum = known.sum;
  const auto tiles =
      codegen::CandidateTiles(product, instructions,
                              {.local_bytes = kMaxStaticBytes,
                               .dynamic_local_bytes = spec.dynamic_local_bytes,
                               .max_items = spec.max_items,
                               .processors = spec.processors,
                               .copies = spec.copies,
                               .may_round = true});
  if (tiles.empty()) return Unimplemented("no instruction for this product");
  const codegen::MatrixTile& tile = tiles[0];

  ProductKernel kernel{.tile = tile};
  kernel.items = tile.subgroups() * instructions.lanes;
  const int64_t tile_rows = (spec.rows + tile.rows - 1) / tile.rows;
  const int64_t tile_columns = (spec.columns + tile.columns - 1) / tile.columns;
  kernel.groups = tile_rows * tile_columns;
  kernel.local_bytes = tile.local_bytes(ElementBytes(spec.operand));
  // More than a kernel can state is added at the launch.
  const bool is_static = kernel.local_bytes <= kMaxStaticBytes;
  if (!is_static) kernel.dynamic_local_bytes = kernel.local_bytes;
  auto* type = llvm::ArrayType::get(
      b.getInt8Ty(), is_static ? static_cast<uint64_t>(kernel.local_bytes) : 0);
  auto* local = new llvm::GlobalVariable(
      module, type, false,
      is_static ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage,
      is_static ? llvm::PoisonValue::get(type) : nullptr, spec.name + "_blocks", nullptr,
      llvm::GlobalValue::NotThreadLocal, kLocal);
  local->setAlignment(llvm::Align(codegen::MatrixTile::kAlignment));

  using namespace llvm::Intrinsic;
  llvm::Value* group = Register(b, nvvm_read_ptx_sreg_ctaid_x);
  auto* count = b.getInt32(static_cast<uint32_t>(tile_columns));
  const codegen::MatrixGroup where{.item = Register(b, nvvm_read_ptx_sreg_tid_x),
                                   .tile_row = b.CreateUDiv(group, count),
                                   .tile_column = b.CreateURem(group, count),
                                   .local = local,
                                   .barrier = Barrier};
  TENON_RETURN_IF_ERROR(
      codegen::EmitMatrixProduct(b, product, instructions, tile, where));
  b.CreateRetVoid();
  compiler::SetLaunchBounds(*function, {.threads = kernel.items});
  return kernel;
}

std::vector<ProductSpec> CoreProducts(const std::string& processor) {
  std::vector<ProductSpec> specs;
  auto add = [&](const std::string& name, ElementType operand, bool lhs_along_depth,
                 bool rhs_along_depth) {
    ProductSpec spec;
    spec.name = name;
    spec.operand = operand;
    spec.rows = spec.columns = spec.depth = 4096;
    spec.lhs_along_depth = lhs_along_depth;
    spec.rhs_along_depth = rhs_along_depth;
    spec.processor = processor;
    return &specs.emplace_back(spec);
  };
  using enum ElementType;
  add("product_bf16_nn", kBF16, true, false);
  add("product_bf16_nt", kBF16, true, true);
  add("product_bf16_tn", kBF16, false, false);
  add("product_bf16_tt", kBF16, false, true);
  add("product_f16", kF16, true, false);
  add("product_tf32", kF32, true, false);
  add("product_s8", kS8, true, true);
  add("product_f64", kF64, true, false);
  ProductSpec* fused = add("product_bf16_bias_relu", kBF16, true, false);
  fused->bias_relu = fused->narrow_result = true;
  ProductSpec* tails = add("product_bf16_tails", kBF16, true, false);
  tails->rows = 1000;
  tails->columns = 999;
  tails->depth = 1001;
  ProductSpec* loads = add("product_f16_loads", kF16, true, false);
  loads->copies = false;
  if (compiler::NvptxMatrixInstructions(processor).wide.subgroups > 0) {
    for (size_t i = specs.size(); i-- > 0;) {
      if (ElementBits(specs[i].operand) != 16) continue;
      ProductSpec wide = specs[i];
      wide.name = "wide_" + wide.name;
      wide.wide = true;
      wide.dynamic_local_bytes = 227 << 10;
      wide.processors = 132;
      specs.push_back(wide);
    }
  }
  return specs;
}

}  // namespace tenon::gpu_test
