#include "tenon/compiler/codegen/contract/micro_kernel_function.h"

#include <map>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "tenon/compiler/codegen/contract/element_memory.h"
#include "tenon/compiler/codegen/ir/shared_function.h"

namespace tenon::codegen {
namespace {

// Rows that are addressed from one pointer.
constexpr int kRowsOfPointer = 5;

// What the function reads from memory, because each call would store it there again.
struct Constants {
  llvm::Value *a_row_bytes, *padding_steps, *last_lanes;
  struct Loop {
    llvm::Value *a_next, *b_next;
  } block, tap, step;
};

// The number of each constant in memory.
enum Number {
  kARow,
  kPaddingSteps,
  kLastLanes,
  kBlock,
  kTap = kBlock + 2,
  kStep = kTap + 2
};

llvm::Value* MakeConstants(IrBuilder& b, const MicroKernelArguments& arguments) {
  const int64_t values[] = {
      arguments.a_row_bytes,  arguments.padding_steps, arguments.last_lanes,
      arguments.block.a_next, arguments.block.b_next,  arguments.tap.a_next,
      arguments.tap.b_next,   arguments.step.a_next,   arguments.step.b_next};
  llvm::SmallVector<uint64_t> words(std::begin(values), std::end(values));
  llvm::Constant* array = llvm::ConstantDataArray::get(b.getContext(), words);
  auto* global = new llvm::GlobalVariable(
      *b.GetInsertBlock()->getModule(), array->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, array, "tile_constants");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(8));
  return global;
}

Constants LoadConstants(IrBuilder& b, llvm::Value* memory) {
  auto load = [&](int number) {
    return b.CreateAlignedLoad(b.getInt64Ty(), OffsetPointer(b, memory, number, 8),
                               llvm::Align(8));
  };
  auto loop = [&](int number) { return Constants::Loop{load(number), load(number + 1)}; };
  return {load(kARow),  load(kPaddingSteps), load(kLastLanes),
          loop(kBlock), loop(kTap),          loop(kStep)};
}

// The other arguments in the order of the function's parameters.
template <typename Arguments, typename Visitor>
void VisitArguments(Arguments& arguments, Visitor visit) {
  for (auto* value : {&arguments.dest, &arguments.dest_row_bytes, &arguments.adds,
                      &arguments.a, &arguments.b, &arguments.blocks, &arguments.before,
                      &arguments.blocks_before, &arguments.after, &arguments.blocks_after,
                      &arguments.is_first, &arguments.is_last})
    if (*value) visit(*value);
  for (auto& run : arguments.runs) {
    if (run.taps) visit(run.taps);
    visit(run.steps);
  }
}

class MicroKernelEmitter {
 public:
  MicroKernelEmitter(IrBuilder& b, const MicroKernel& kernel,
                     const MicroKernelArguments& arguments, const Constants& constants)
      : b_(b), kernel_(kernel), arguments_(arguments), constants_(constants) {
    if (kernel.is_partial) last_mask_ = LaneMask(b, constants.last_lanes, kernel.lanes);
    row_offsets_.push_back(b.getInt64(0));
    for (int row = 1; row <= std::min(kRowsOfPointer, kernel.rows - 1); ++row)
      row_offsets_.push_back(b.CreateNSWMul(constants.a_row_bytes, b.getInt64(row)));
  }

  Status Emit() {
    IrValues sums;
    TENON_RETURN_IF_ERROR(EmitPaddingBlocks(sums));
    llvm::Value* zero = ZeroElements(b_, kernel_.type, kernel_.lanes).re;
    sums.resize(sums.size() * kernel_.unroll, zero);
    if (!kernel_.row_taps || kernel_.row_taps->rows.empty())
      return EmitBlocks(kernel_.row_taps, sums);
    // Tiles that are not at the end of a row load without masks.
    MicroKernel::RowTaps inside = *kernel_.row_taps;
    inside.rows.clear();
    llvm::Value* flags = b_.CreateOr(arguments_.is_first, arguments_.is_last);
    return EmitIfElse(
        b_, b_.CreateICmpEQ(flags, I64(0)), [&] { return EmitBlocks(inside, sums); },
        [&] { return EmitBlocks(kernel_.row_taps, sums); });
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(value); }
  int64_t bytes() const { return PartBytes(kernel_.type); }
  int num_sums() const { return kernel_.rows * kernel_.vectors; }
  llvm::Value* Mask(int vector) const {
    return vector == kernel_.vectors - 1 ? last_mask_ : nullptr;
  }
  ElementValue Value(llvm::Value* value) const {
    ElementValue result;
    result.type = kernel_.type;
    result.re = value;
    return result;
  }
  llvm::Value* Move(llvm::Value* pointer, llvm::Value* offset) {
    return b_.CreateGEP(b_.getInt8Ty(), pointer, offset);
  }
  // Moves the last two values, the pointers of a and b.
  void Move(IrValues& carried, const Constants::Loop& loop) {
    llvm::Value *&a = *(carried.end() - 2), *&b = carried.back();
    a = Move(a, loop.a_next);
    b = Move(b, loop.b_next);
  }
  llvm::Value* LoadColumn(llvm::Value* pointer, int vector) {
    pointer = OffsetPointer(b_, pointer, int64_t{vector} * kernel_.lanes, bytes());
    return LoadElements(b_, kernel_.type, pointer, kernel_.lanes, 1, Mask(vector)).re;
  }

  Status EmitBlocks(const std::optional<MicroKernel::RowTaps>& row_taps, IrValues sums);
  Status EmitPaddingBlocks(IrValues& sums);
  void EmitRowTaps(const MicroKernel::RowTaps& taps, IrValues& carried);
  llvm::Value* ExistingLanes(const MicroKernel::RowTaps& taps, int row, int tap);
  Status EmitRun(const MicroKernel::Run& run, const MicroKernelArguments::Run& counts,
                 IrValues& carried);
  Status EmitSteps(const MicroKernel::Run& run, llvm::Value* count, int sets,
                   IrValues& carried);
  void EmitStep(const MicroKernel::Run& run, int set, llvm::ArrayRef<llvm::Value*> rows,
                llvm::Value* columns, IrValues& sums);
  void AddSets(IrValues& sums);
  Status StoreSums(const IrValues& sums);

  IrBuilder& b_;
  const MicroKernel& kernel_;
  const MicroKernelArguments& arguments_;
  const Constants& constants_;
  llvm::Value* last_mask_ = nullptr;
  IrValues row_offsets_;  // in bytes, of the rows after a pointer and of the next pointer
};

// Emits all products of the tile, and stores the sums.
Status MicroKernelEmitter::EmitBlocks(const std::optional<MicroKernel::RowTaps>& row_taps,
                                      IrValues sums) {
  // The pointers of a and b follow the sums.
  sums.append({arguments_.a, arguments_.b});
  TENON_RETURN_IF_ERROR(EmitLoop(
      b_, I64(0), arguments_.blocks, 1, sums, [&](llvm::Value*, IrValues& carried) {
        if (row_taps) EmitRowTaps(*row_taps, carried);
        for (auto [run, counts] : llvm::zip_equal(kernel_.runs, arguments_.runs))
          TENON_RETURN_IF_ERROR(EmitRun(run, counts, carried));
        Move(carried, constants_.block);
        return OkStatus();
      }));
  AddSets(sums);
  return StoreSums(sums);
}

// The initial sums: 0, or NaN if an element that is multiplied with padding is not
// finite. The bits of w - w, which is 0 or NaN, are combined by `or`.
Status MicroKernelEmitter::EmitPaddingBlocks(IrValues& sums) {
  llvm::Type* type = ZeroElements(b_, kernel_.type, kernel_.lanes).re->getType();
  llvm::Type* bits_type =
      type->getWithNewType(b_.getIntNTy(static_cast<unsigned>(8 * bytes())));
  IrValues bits(kernel_.vectors, llvm::Constant::getNullValue(bits_type));
  auto add = [&](llvm::Value* pointer, llvm::Value* blocks) {
    bits.push_back(pointer);
    auto step = [&](llvm::Value*, IrValues& carried) {
      for (int v = 0; v < kernel_.vectors; ++v) {
        llvm::Value* column = LoadColumn(carried.back(), v);
        llvm::Value* difference = b_.CreateFSub(column, column);
        carried[v] = b_.CreateOr(carried[v], b_.CreateBitCast(difference, bits_type));
      }
      carried.back() = Move(carried.back(), constants_.step.b_next);
      return OkStatus();
    };
    TENON_RETURN_IF_ERROR(
        EmitLoop(b_, I64(0), blocks, 1, bits, [&](llvm::Value*, IrValues& carried) {
          TENON_RETURN_IF_ERROR(
              EmitLoop(b_, I64(0), constants_.padding_steps, 1, carried, step));
          carried.back() = Move(carried.back(), constants_.block.b_next);
          return OkStatus();
        }));
    bits.pop_back();
    return OkStatus();
  };
  if (kernel_.has_padding) {
    TENON_RETURN_IF_ERROR(add(arguments_.before, arguments_.blocks_before));
    TENON_RETURN_IF_ERROR(add(arguments_.after, arguments_.blocks_after));
  }
  for (int row = 0; row < kernel_.rows; ++row)
    for (llvm::Value* vector : bits) sums.push_back(b_.CreateBitCast(vector, type));
  return OkStatus();
}

// The vectors of b for all taps are loaded first. Then each vector of a is loaded once,
// for all rows that use it. Elements outside the input are not loaded but zero.
void MicroKernelEmitter::EmitRowTaps(const MicroKernel::RowTaps& taps,
                                     IrValues& carried) {
  llvm::Value *a = *(carried.end() - 2), *&b = carried.back();
  IrValues columns;
  for (int tap = 0; tap < taps.taps; ++tap) {
    columns.push_back(LoadColumn(b, 0));
    b = Move(b, constants_.step.b_next);
  }
  struct Use {
    int row, tap;
  };
  std::map<int, llvm::SmallVector<Use, 8>> by_position;
  for (int row = 0; row < kernel_.rows; ++row)
    for (int tap = 0; tap < taps.taps; ++tap)
      by_position[row * taps.row_step + tap * taps.tap_step].push_back({row, tap});
  int position = 0;
  for (const auto& [next, uses] : by_position) {
    for (; position < next; ++position) a = Move(a, constants_.a_row_bytes);
    ElementValue factor = LoadElements(b_, kernel_.type, a, kernel_.lanes, 1,
                                       ExistingLanes(taps, uses[0].row, uses[0].tap));
    for (const Use& use : uses)
      carried[use.row] = MultiplyAdd(b_, Value(carried[use.row]), factor,
                                     Value(columns[use.tap]), kernel_.fma)
                             .re;
  }
}

// The mask of the lanes that exist of what a row and a tap read; null: all.
llvm::Value* MicroKernelEmitter::ExistingLanes(const MicroKernel::RowTaps& taps, int row,
                                               int tap) {
  if (taps.rows.empty()) return last_mask_;
  const auto [first, last] = taps.rows[tap];
  llvm::Value* outside = b_.getFalse();
  auto add = [&](llvm::Value* flag) {
    outside = b_.CreateOr(outside, b_.CreateICmpNE(flag, I64(0)));
  };
  if (row < first) add(arguments_.is_first);
  if (row >= last) add(arguments_.is_last);
  if (llvm::isa<llvm::ConstantInt>(outside)) return last_mask_;
  llvm::Value* mask = b_.CreateVectorSplat(kernel_.lanes, b_.CreateNot(outside));
  return last_mask_ ? b_.CreateAnd(mask, last_mask_) : mask;
}

Status MicroKernelEmitter::EmitRun(const MicroKernel::Run& run,
                                   const MicroKernelArguments::Run& counts,
                                   IrValues& carried) {
  auto steps = [&](IrValues& values) {
    llvm::Value* rest = counts.steps;
    if (kernel_.unroll > 1) {
      rest = b_.CreateAnd(counts.steps, I64(kernel_.unroll - 1));
      llvm::Value* whole = b_.CreateSub(counts.steps, rest);
      TENON_RETURN_IF_ERROR(EmitSteps(run, whole, kernel_.unroll, values));
    }
    return EmitSteps(run, rest, 1, values);
  };
  if (!kernel_.has_taps) return steps(carried);
  return EmitLoop(b_, I64(0), counts.taps, 1, carried,
                  [&](llvm::Value*, IrValues& values) {
                    TENON_RETURN_IF_ERROR(steps(values));
                    Move(values, constants_.tap);
                    return OkStatus();
                  });
}

// A loop over `count` steps, `sets` of which are emitted together, each with its own
// sums.
Status MicroKernelEmitter::EmitSteps(const MicroKernel::Run& run, llvm::Value* count,
                                     int sets, IrValues& carried) {
  llvm::Value* b_pointer = carried.pop_back_val();
  const size_t first_row = carried.size() - 1;
  for (int row = kRowsOfPointer; row < kernel_.rows; row += kRowsOfPointer)
    carried.push_back(Move(carried.back(), row_offsets_[kRowsOfPointer]));
  carried.push_back(b_pointer);
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, I64(0), count, sets, carried, [&](llvm::Value*, IrValues& values) {
        for (int set = 0; set < sets; ++set) {
          llvm::Value* columns = values.back();
          EmitStep(run, set, llvm::ArrayRef(values).drop_front(first_row).drop_back(),
                   columns, values);
          for (llvm::Value*& row : llvm::MutableArrayRef(values).drop_front(first_row))
            row = Move(row, &row == &values.back() ? constants_.step.b_next
                                                   : constants_.step.a_next);
        }
        return OkStatus();
      }));
  b_pointer = carried.back();
  carried.truncate(first_row + 1);
  carried.push_back(b_pointer);
  return OkStatus();
}

void MicroKernelEmitter::EmitStep(const MicroKernel::Run& run, int set,
                                  llvm::ArrayRef<llvm::Value*> rows, llvm::Value* columns,
                                  IrValues& sums) {
  IrValues vectors;
  for (int v = 0; v < kernel_.vectors; ++v) vectors.push_back(LoadColumn(columns, v));
  for (int row = 0; row < kernel_.rows; ++row) {
    ElementValue factor;
    if (row < run.skip_first || row >= kernel_.rows - run.skip_last) {
      factor = ZeroElements(b_, kernel_.type, kernel_.lanes);
    } else {
      llvm::Value* pointer = rows[row / kRowsOfPointer];
      if (row % kRowsOfPointer != 0)
        pointer = Move(pointer, row_offsets_[row % kRowsOfPointer]);
      factor = Splat(b_, LoadElements(b_, kernel_.type, pointer, 1, 1), kernel_.lanes);
    }
    for (int v = 0; v < kernel_.vectors; ++v) {
      llvm::Value*& sum = sums[set * num_sums() + row * kernel_.vectors + v];
      sum = MultiplyAdd(b_, Value(sum), factor, Value(vectors[v]), kernel_.fma).re;
    }
  }
}

void MicroKernelEmitter::AddSets(IrValues& sums) {
  for (int set = 1; set < kernel_.unroll; ++set)
    for (int i = 0; i < num_sums(); ++i)
      sums[i] = b_.CreateFAdd(sums[i], sums[set * num_sums() + i]);
  sums.truncate(num_sums());
}

Status MicroKernelEmitter::StoreSums(const IrValues& sums) {
  auto store = [&](bool adds) {
    llvm::Value* row = arguments_.dest;
    for (int i = 0; i < num_sums(); ++i) {
      const int v = i % kernel_.vectors;
      if (i > 0 && v == 0) row = Move(row, arguments_.dest_row_bytes);
      llvm::Value* pointer = OffsetPointer(b_, row, int64_t{v} * kernel_.lanes, bytes());
      llvm::Value* sum = sums[i];
      if (adds)
        sum = b_.CreateFAdd(
            sum, LoadElements(b_, kernel_.type, pointer, kernel_.lanes, 1, Mask(v)).re);
      StoreElements(b_, Value(sum), pointer, kernel_.lanes, 1, Mask(v));
    }
    return OkStatus();
  };
  return EmitIfElse(
      b_, b_.CreateICmpNE(arguments_.adds, I64(0)), [&] { return store(true); },
      [&] { return store(false); });
}

}  // namespace

std::string MicroKernel::Name() const {
  std::string name =
      "micro_kernel." + std::to_string(rows) + "x" + std::to_string(vectors);
  if (unroll > 1) name += ".sets" + std::to_string(unroll);
  if (is_partial) name += ".partial";
  if (has_taps) name += ".taps";
  if (has_padding) name += ".padding";
  if (!fma) name += ".mul_add";
  if (row_taps) {
    name += ".row_taps" + std::to_string(row_taps->taps) + "." +
            std::to_string(row_taps->row_step) + "x" + std::to_string(row_taps->tap_step);
    for (auto [first, last] : row_taps->rows)
      name += "." + std::to_string(first) + "_" + std::to_string(last);
  } else if (runs.size() > 1 || runs[0].skip_first || runs[0].skip_last) {
    for (const Run& run : runs)
      name += "." + std::to_string(run.skip_first) + "_" + std::to_string(run.skip_last);
  }
  return name + (type == ElementType::kF64 ? ".f64x" : ".f32x") + std::to_string(lanes);
}

Status CallMicroKernel(IrBuilder& b, const MicroKernel& kernel,
                       const MicroKernelArguments& arguments) {
  IrValues values{MakeConstants(b, arguments)};
  VisitArguments(arguments, [&](llvm::Value* value) { values.push_back(value); });
  return CallShared(b, kernel.Name(), values, [&](IrValues& parameters) {
    MicroKernelArguments inside = arguments;
    size_t number = 1;
    VisitArguments(inside, [&](llvm::Value*& value) { value = parameters[number++]; });
    const Constants constants = LoadConstants(b, parameters[0]);
    return MicroKernelEmitter(b, kernel, inside, constants).Emit();
  });
}

}  // namespace tenon::codegen
