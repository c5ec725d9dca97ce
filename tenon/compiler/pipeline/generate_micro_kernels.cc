#include "tenon/compiler/pipeline/generate_micro_kernels.h"

#include <vector>

#include "tenon/compiler/codegen/contract/micro_kernel_function.h"
#include "tenon/compiler/pipeline/machine_code.h"
#include "tenon/compiler/pipeline/shared_code.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {
namespace {

using codegen::MicroKernel;

using Runs = llvm::SmallVector<MicroKernel::Run, 3>;

constexpr int kMaxVectors = 8;
// Windows that reach past the first and the last element of a row: how far, in strides.
// The most common are those of filters of 3, 5 and 7 taps. Tiles of more vectors than
// kVectorsOfRows, and images of one row, have only the first kPaddingOfAll of these.
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
  arguments.runs.assign(kernel.runs.size(), {nullptr, zero});
  return CallMicroKernel(b, kernel, arguments);
}

}  // namespace

Status GenerateMicroKernels(const CodeOptions& options) {
  // Few processors lack multiply-add instructions. Their tiles are generated when needed.
  if (!options.target.traits.fma) return OkStatus();
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
