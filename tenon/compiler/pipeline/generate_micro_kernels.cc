#include "tenon/compiler/pipeline/generate_micro_kernels.h"

#include <algorithm>
#include <vector>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/micro_kernel_function.h"
#include "tenon/compiler/pipeline/machine_code.h"
#include "tenon/compiler/pipeline/shared_code.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {
namespace {

using codegen::MicroKernel;

using Runs = llvm::SmallVector<MicroKernel::Run, 3>;

constexpr int kMaxVectors = 8;
constexpr int kMinRowsOfTaps = 4;
// Windows that reach past the first and the last element of a row: how far, in strides.
// The most common are those of filters of 3, 5 and 7 taps. Tiles of more vectors than
// kVectorsOfRows, and windows of one row of pixels, have only the first kPaddingOfAll of
// these.
constexpr std::pair<int, int> kPadding[] = {{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2},
                                            {2, 2}, {1, 2}, {3, 0}, {0, 3}, {3, 3}};
constexpr size_t kPaddingOfAll = 3;
constexpr int kVectorsOfRows = 2;

// The runs of taps of such windows. Rows that are all padding count as the first ones.
Runs RunsOf(std::pair<int, int> padding, int rows) {
  Runs runs;
  auto add = [&](int first, int last) {
    if (first + last >= rows) first = rows, last = 0;
    if (!runs.empty() && runs.back().skip_first == first && runs.back().skip_last == last)
      return;
    runs.push_back({first, last});
  };
  for (int skipped = padding.first; skipped > 0; --skipped) add(skipped, 0);
  add(0, 0);
  for (int skipped = 1; skipped <= padding.second; ++skipped) add(0, skipped);
  return runs;
}

// The micro-kernels of tiles of `kernel`'s rows and vectors.
void AddMicroKernels(MicroKernel kernel, std::vector<MicroKernel>& kernels) {
  for (int unroll : {1, 2, 4}) {
    if (unroll > 1 && kernel.rows * kernel.vectors * unroll >= 16) break;
    kernel.unroll = unroll;
    for (bool is_partial : {false, true}) {
      kernel.is_partial = is_partial;
      kernels.push_back(kernel);
    }
  }
  if (kernel.type != ElementType::kF32) return;
  kernel.unroll = 1;
  kernel.is_partial = false;
  kernel.has_taps = true;
  kernels.push_back(kernel);
  kernel.has_taps = false;
  for (auto [number, padding] : llvm::enumerate(kPadding)) {
    kernel.runs = RunsOf(padding, kernel.rows);
    for (bool has_padding : {false, true}) {
      if (number >= kPaddingOfAll && (kernel.vectors > kVectorsOfRows || !has_padding))
        continue;
      kernel.has_padding = has_padding;
      kernels.push_back(kernel);
    }
  }
}

// Depthwise convolutions: filters of `taps` taps along a row with padding on all sides,
// so that rows of pixels have length / stride results.
void AddRowTaps(MicroKernel kernel, int taps, int stride,
                std::vector<MicroKernel>& kernels) {
  MicroKernel::RowTaps& row_taps = kernel.row_taps.emplace();
  row_taps.taps = taps;
  row_taps.row_step = stride;
  kernel.runs.clear();
  kernels.push_back(kernel);  // without padding
  kernel.has_padding = true;
  // Of all padding, the end gets more.
  const int low = (taps - stride) / 2, high = taps - stride - low;
  for (const auto [is_first, is_last] :
       {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
    row_taps.rows.clear();
    for (int tap = 0; tap < taps; ++tap) {
      const int before = CeilDiv(std::max(low - tap, 0), stride);
      const int after = CeilDiv(std::max(tap - (taps - 1 - high), 0), stride);
      row_taps.rows.emplace_back(
          is_first ? std::min(before, kernel.rows) : 0,
          is_last ? std::max(kernel.rows - after, 0) : kernel.rows);
    }
    kernels.push_back(kernel);
  }
}

std::vector<MicroKernel> MicroKernels(ElementType type, const TargetTraits& traits) {
  std::vector<MicroKernel> kernels;
  for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
    const int max_rows = MaxTileRows(traits.vector_registers, vectors);
    for (int rows = 1; rows <= max_rows; ++rows) {
      MicroKernel kernel;
      kernel.type = type;
      kernel.lanes = traits.vector_bits / (8 * static_cast<int>(PartBytes(type)));
      kernel.rows = rows;
      kernel.vectors = vectors;
      kernel.fma = traits.fma;
      AddMicroKernels(kernel, kernels);
      if (type != ElementType::kF32 || vectors > 1 || rows < kMinRowsOfTaps) continue;
      for (int taps : {3, 5, 7})
        for (int stride : {1, 2}) AddRowTaps(kernel, taps, stride, kernels);
    }
  }
  return kernels;
}

// Emits a call, whose arguments do not matter.
Status EmitCall(codegen::IrBuilder& b, const MicroKernel& kernel) {
  codegen::MicroKernelArguments arguments;
  llvm::Value* null = llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value* zero = b.getInt64(0);
  arguments.dest = arguments.a = arguments.b = null;
  arguments.dest_row_bytes = arguments.adds = arguments.blocks = zero;
  if (kernel.has_padding) {
    arguments.before = arguments.after = null;
    arguments.blocks_before = arguments.blocks_after = zero;
  }
  arguments.runs.assign(kernel.runs.size(), {kernel.has_taps ? zero : nullptr, zero});
  if (kernel.row_taps && !kernel.row_taps->rows.empty())
    arguments.is_first = arguments.is_last = zero;
  return CallMicroKernel(b, kernel, arguments);
}

}  // namespace

Status GenerateMicroKernels(const CodeOptions& options) {
  if (!options.target.traits.shared_tiles) return OkStatus();
  TENON_ASSIGN_OR_RETURN(
      BorrowedTargetMachine machine,
      BorrowTargetMachine(options.target, CodegenLevel(options.optimization_level)));
  SharedCode shared(options);
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    for (const MicroKernel& kernel : MicroKernels(type, options.target.traits)) {
      llvm::LLVMContext context;
      llvm::Module module("micro_kernel", context);
      module.setDataLayout(machine->createDataLayout());
      module.setTargetTriple(machine->getTargetTriple());
      codegen::IrBuilder b(context);
      auto* caller =
          llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), false),
                                 llvm::Function::InternalLinkage, "caller", module);
      b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", caller));
      TENON_RETURN_IF_ERROR(EmitCall(b, kernel));
      b.CreateRetVoid();
      SetFunctionAttributes(module, options);
      TENON_RETURN_IF_ERROR(shared.TakeOut(module, 0, 1));
    }
  }
  return OkStatus();
}

}  // namespace tenon::compiler
