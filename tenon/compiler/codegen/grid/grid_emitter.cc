#include "tenon/compiler/codegen/grid/grid_emitter.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <numeric>

#include "tenon/compiler/codegen/grid/attention_phase.h"
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/grid/group_network.h"
#include "tenon/compiler/codegen/grid/group_radix.h"
#include "tenon/compiler/codegen/grid/group_top_k.h"
#include "tenon/compiler/codegen/grid/matrix_phase.h"
#include "tenon/compiler/codegen/grid/phase_form.h"
#include "tenon/compiler/codegen/grid/product_ops.h"
#include "tenon/compiler/codegen/grid/product_program.h"
#include "tenon/compiler/codegen/grid/thin_product.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/kernel/structured_emitter.h"
#include "tenon/compiler/plan/device_product.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/compiler/tile_choices.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// Code of one item has one lane.
TargetTraits ScalarTraits(TargetTraits traits) {
  traits.vector_bits = 8;
  return traits;
}

// The type of a kernel's scalar argument: whole bytes.
llvm::Type* ArgumentType(llvm::IRBuilderBase& b, llvm::Type* part) {
  return part->isIntegerTy() && part->getIntegerBitWidth() < 8 ? b.getInt8Ty() : part;
}

// The items of a group if each computes a chunk: a subgroup, if there are many chunks.
int ItemsOfChunks(int64_t chunks) {
  constexpr int64_t kMinGroups = 128, kMaxItems = 32;
  return static_cast<int>(std::bit_floor(
      static_cast<uint64_t>(std::clamp<int64_t>(chunks / kMinGroups, 1, kMaxItems))));
}

// Names of functions consist of letters, digits and underscores on every device.
std::string DeviceName(llvm::StringRef name) {
  std::string result = name.str();
  std::ranges::replace_if(
      result,
      [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; },
      '_');
  return result;
}

}  // namespace

llvm::Function* GridEmitter::BeginFunction(const std::string& name, bool numbered) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::SmallVector<llvm::Type*> types;
  arguments_.clear();
  for (mlir::Type type : kernel_.getBody().getArgumentTypes()) {
    if (llvm::isa<mlir::MemRefType>(type)) {
      types.push_back(b_.getPtrTy(compiler::kGlobalMemory));
      arguments_.push_back(0);
      continue;
    }
    ElementType element = ir::ElementTypeOfShaped(type);
    llvm::Type* part = ArgumentType(b_, compiler::ElementLlvmType(context, element));
    types.append(static_cast<size_t>(ElementParts(element)), part);
    arguments_.insert(arguments_.end(), static_cast<size_t>(ElementParts(element)),
                      static_cast<uint8_t>(part->getPrimitiveSizeInBits() / 8));
  }
  if (numbered) {
    types.push_back(b_.getInt64Ty());
    arguments_.push_back(8);
  }
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                             llvm::Function::ExternalLinkage, DeviceName(name), module_);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  points_ = std::make_unique<PointEmitter>(
      b_, PointOptions{.elementwise = options_.target.elementwise, .on_device = true});
  unsigned next = 0;
  for (mlir::BlockArgument argument : kernel_.getBody().getArguments()) {
    if (llvm::isa<mlir::MemRefType>(argument.getType())) {
      points_->SetView(argument,
                       b_.CreateAddrSpaceCast(function->getArg(next++), b_.getPtrTy()));
      points_->SetFacts(argument, {aliases_.AlignmentOf(argument), IsReadOnly(argument)});
      continue;
    }
    ElementValue value{ir::ElementTypeOfShaped(argument.getType()), nullptr, nullptr};
    llvm::Type* part = compiler::ElementLlvmType(context, value.type);
    auto load = [&]() -> llvm::Value* {
      llvm::Value* word = function->getArg(next++);
      return word->getType() == part ? word : b_.CreateTrunc(word, part);
    };
    value.re = load();
    if (ElementParts(value.type) == 2) value.im = load();
    points_->SetScalar(argument, value);
  }
  return function;
}

bool GridEmitter::IsReadOnly(mlir::BlockArgument argument) const {
  if (accesses_.unknown) return false;
  ViewSet one;
  one.insert(argument.getAsOpaquePointer());
  return !aliases_.MayShare(one, accesses_.writes);
}

int64_t GridEmitter::EndFunction(llvm::Function* function, int group_items,
                                 int64_t dynamic_local_bytes) {
  b_.CreateRetVoid();
  device_.declare_kernel(*function, group_items);
  kernels_.push_back({.name = function->getName().str(),
                      .group_size = static_cast<uint32_t>(group_items),
                      .dynamic_local_bytes = static_cast<uint32_t>(dynamic_local_bytes),
                      .arguments = arguments_,
                      .source_kernel = number_});
  return static_cast<int64_t>(kernels_.size()) - 1;
}

llvm::Value* GridEmitter::ItemId(int group_items) {
  llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
  if (group_items == 1) return group;
  llvm::Value* item = b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty());
  return b_.CreateAdd(
      b_.CreateMul(group, b_.getInt64(static_cast<uint64_t>(group_items))), item);
}

void GridEmitter::SetPoint(ir::ParallelOp parallel, llvm::Value* point) {
  mlir::Block& block = parallel.getBody().front();
  llvm::ArrayRef<int64_t> sizes = parallel.getSizes();
  int64_t total = 1;
  for (int64_t size : sizes) total *= size;
  // Divisions of 32 bits are several times as fast.
  llvm::Type* type = total <= INT32_MAX ? b_.getInt32Ty() : b_.getInt64Ty();
  llvm::Value* rest = b_.CreateTrunc(point, type);
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) {
      points_->SetIndex(block.getArgument(static_cast<unsigned>(d)),
                        points_->Indices().Constant(0));
      continue;
    }
    llvm::Value* index = rest;
    if (d > 0) {
      auto* size = llvm::ConstantInt::get(type, static_cast<uint64_t>(sizes[d]));
      index = b_.CreateURem(rest, size);
      rest = b_.CreateUDiv(rest, size);
    }
    points_->SetIndex(block.getArgument(static_cast<unsigned>(d)),
                      {b_.CreateZExt(index, b_.getInt64Ty()), 0, 1});
  }
}

Status GridEmitter::EmitParallelPhase(ir::ParallelOp parallel, const std::string& name) {
  const PhaseForm form = ChooseForm(parallel, aliases_, device_);
  if (form.groups == 0) return OkStatus();
  llvm::Function* function = BeginFunction(name, /*numbered=*/false);
  int64_t points = 1;
  for (int64_t size : parallel.getSizes()) points *= size;
  llvm::Value *point = nullptr, *item = b_.getInt64(0), *subgroup = nullptr;
  if (form.subgroups > 1) {
    const auto items = static_cast<uint64_t>(form.point_items);
    llvm::Value* local = b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty());
    subgroup = b_.CreateUDiv(local, b_.getInt64(items));
    point = b_.CreateUDiv(ItemId(form.group_items), b_.getInt64(items));
    item = b_.CreateAnd(local, b_.getInt64(items - 1));
  } else if (form.waits) {
    point = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
    item = b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty());
  } else {
    const auto items = static_cast<uint64_t>(form.point_items);
    llvm::Value* id = ItemId(form.group_items);
    point = b_.CreateUDiv(id, b_.getInt64(items));
    if (items > 1) item = b_.CreateAnd(id, b_.getInt64(items - 1));
  }
  const TargetTraits traits = ScalarTraits(options_.target);
  GroupBody body(*points_, traits, aliases_, form.point_items, item, form.waits,
                 form.subgroups, subgroup);
  Status status;
  auto emit = [&] {
    SetPoint(parallel, point);
    status = body.EmitBlock(parallel.getBody().front());
  };
  // The last group may have items without a point.
  if (form.group_points > 1) {
    llvm::Value* begin =
        b_.CreateMul(point, b_.getInt64(static_cast<uint64_t>(form.group_points)));
    llvm::Value* end =
        b_.CreateAdd(begin, b_.getInt64(static_cast<uint64_t>(form.group_points)));
    llvm::Value* all = b_.getInt64(static_cast<uint64_t>(points));
    end = b_.CreateSelect(b_.CreateICmpULT(end, all), end, all);
    body.set_repeats(true);
    status = EmitLoop(b_, begin, end, 1, [&](llvm::Value* in_chunk) {
      SetPoint(parallel, in_chunk);
      TENON_RETURN_IF_ERROR(body.EmitBlock(parallel.getBody().front()));
      if (form.waits) body.Barrier();  // before the next point uses the scratch memory
      return OkStatus();
    });
  } else if ((form.waits && form.subgroups == 1) ||
             points * form.point_items % form.group_items == 0)
    emit();
  else
    EmitIf(b_, b_.CreateICmpULT(point, b_.getInt64(static_cast<uint64_t>(points))), emit);
  TENON_RETURN_IF_ERROR(status);
  launches_.push_back({EndFunction(function, form.group_items), form.groups});
  return OkStatus();
}

Status GridEmitter::EmitGroups(
    const std::string& name, int items, int64_t dynamic_local_bytes,
    llvm::function_ref<StatusOr<int64_t>(GroupBody& body)> emit) {
  llvm::Function* function = BeginFunction(name, /*numbered=*/false);
  const TargetTraits traits = ScalarTraits(options_.target);
  GroupBody body(*points_, traits, aliases_, items,
                 b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
  TENON_ASSIGN_OR_RETURN(const int64_t groups, emit(body));
  launches_.push_back({EndFunction(function, items, dynamic_local_bytes), groups});
  return OkStatus();
}

Status GridEmitter::EmitForEach(
    const std::string& name, int64_t count,
    llvm::function_ref<Status(GroupBody& body, llvm::Value* number)> emit) {
  llvm::Function* function = BeginFunction(name, /*numbered=*/false);
  const TargetTraits traits = ScalarTraits(options_.target);
  GroupBody body(*points_, traits, aliases_, /*items=*/1, b_.getInt64(0),
                 /*waits=*/false);
  const int items = device_.max_group_items;
  llvm::Value* number = ItemId(items);
  // Divisions of 32 bits are several times as fast.
  if (count <= INT32_MAX)
    number = b_.CreateZExt(b_.CreateTrunc(number, b_.getInt32Ty()), b_.getInt64Ty());
  Status status;
  llvm::Value* exists =
      b_.CreateICmpULT(number, b_.getInt64(static_cast<uint64_t>(count)));
  EmitIf(b_, exists, [&] { status = emit(body, number); });
  TENON_RETURN_IF_ERROR(status);
  launches_.push_back({EndFunction(function, items), (count + items - 1) / items});
  return OkStatus();
}

Status GridEmitter::EmitTiles(mlir::Operation& op, TiledProduct product,
                              const std::string& name) {
  const auto choose = [&](size_t count) -> size_t {
    if (!options_.tiles || count == 1) return 0;
    const int chosen =
        options_.tiles->Choose({ProductProgram(op, product), static_cast<int>(count)});
    return static_cast<size_t>(chosen);
  };
  if (const std::optional<MatrixPhase> phase =
          PlanMatrixPhase(op, product, device_, choose))
    return EmitGroups(
        name, phase->items, phase->dynamic_local_bytes,
        [&](GroupBody& body) -> StatusOr<int64_t> {
          TENON_RETURN_IF_ERROR(EmitMatrixPhase(op, body, product, *phase, device_));
          return phase->groups;
        });
  const std::vector<ProductTile> candidates = CandidateTiles(product, device_);
  const ProductTile tile = candidates[choose(candidates.size())];
  return EmitGroups(name, tile.items(), 0, [&](GroupBody& body) -> StatusOr<int64_t> {
    BindProduct(op, body, product);
    llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
    TENON_RETURN_IF_ERROR(EmitTiledProduct(body, product, tile, group));
    return CountTiles(product, tile);
  });
}

Status GridEmitter::EmitProductPhase(mlir::Operation& op, TiledProduct product,
                                     const std::string& name) {
  using Form = compiler::DeviceProduct::Form;
  const compiler::DeviceProduct plan =
      llvm::isa<ir::ContractOp>(op)
          ? PlanDeviceProduct(compiler::SpecOf(llvm::cast<ir::ContractOp>(op)).spec)
          : PlanDeviceProduct(compiler::SpecOf(llvm::cast<ir::ConvolutionOp>(op)).spec);
  if (plan.results() == 0) return OkStatus();
  product.parts = plan.parts;
  product.part_depth = plan.part_depth;
  Status status;
  switch (plan.form) {
    case Form::kTiles:
      status = EmitTiles(op, product, name);
      break;
    case Form::kThin:
      status = EmitGroups(
          name, device_.max_group_items, 0, [&](GroupBody& body) -> StatusOr<int64_t> {
            BindProduct(op, body, product);
            llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
            TENON_RETURN_IF_ERROR(EmitThinProduct(body, product, group));
            return CountThinGroups(product, device_);
          });
      break;
    case Form::kDirect:
      product.batch_unit = BatchUnitOf(op, product.type);
      status = EmitForEach(name, plan.results() * plan.parts / product.batch_unit,
                           [&](GroupBody& body, llvm::Value* number) {
                             BindProduct(op, body, product);
                             return EmitDirectProduct(body, product, number);
                           });
      break;
  }
  if (!status.ok() || plan.parts == 1) return status;
  return EmitForEach(name + "_sums", plan.results(),
                     [&](GroupBody& body, llvm::Value* number) {
                       return EmitSumOfParts(op, body, product, number);
                     });
}

Status GridEmitter::EmitAttentionPhase(ir::AttentionOp op, const std::string& name) {
  TENON_ASSIGN_OR_RETURN(const AttentionPhase phase, PlanAttentionPhase(op, device_));
  llvm::Function* function = BeginFunction(name, /*numbered=*/false);
  const TargetTraits traits = ScalarTraits(options_.target);
  GroupBody body(*points_, traits, aliases_, phase.items,
                 b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
  TENON_RETURN_IF_ERROR(codegen::EmitAttentionPhase(op, body, phase, device_));
  launches_.push_back({EndFunction(function, phase.items), phase.groups});
  return OkStatus();
}

Status GridEmitter::EmitSortPhases(ir::SortOp sort, const GroupSortPlan& plan,
                                   const std::string& name) {
  const TargetTraits traits = ScalarTraits(options_.target);
  const int block_items = ItemsOfBlock(plan, device_);
  llvm::Function* function = BeginFunction(name + "_blocks", /*numbered=*/false);
  {
    GroupBody body(*points_, traits, aliases_, block_items,
                   b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
    llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
    TENON_RETURN_IF_ERROR(EmitSortBlock(body, sort, plan, group));
  }
  launches_.push_back({EndFunction(function, block_items), plan.Groups()});
  const int64_t elements = plan.shape.rows * plan.shape.length;
  const int items = device_.max_group_items;
  int64_t shared = -1;  // the kernel of all merge passes but the last
  for (int pass = 0; pass < plan.merge_passes; ++pass) {
    const bool is_last = pass + 1 == plan.merge_passes;
    int64_t kernel = shared;
    if (is_last || shared < 0) {
      function = BeginFunction(name + (is_last ? "_last_merge" : "_merge"), !is_last);
      GroupBody body(*points_, traits, aliases_, /*items=*/1, b_.getInt64(0),
                     /*waits=*/false);
      llvm::Value* number = b_.getInt64(static_cast<uint64_t>(pass));
      if (!is_last) number = function->getArg(function->arg_size() - 1);
      llvm::Value* element = ItemId(items);
      Status status;
      EmitIf(b_, b_.CreateICmpULT(element, b_.getInt64(static_cast<uint64_t>(elements))),
             [&] { status = EmitMergePass(body, sort, plan, number, is_last, element); });
      TENON_RETURN_IF_ERROR(status);
      kernel = EndFunction(function, items);
      if (!is_last) shared = kernel;
    }
    launches_.push_back({kernel, (elements + items - 1) / items, is_last ? -1 : pass});
  }
  return OkStatus();
}

Status GridEmitter::EmitTopKPhases(ir::SortOp sort, const compiler::GroupTopKPlan& plan,
                                   const std::string& name) {
  const TargetTraits traits = ScalarTraits(options_.target);
  for (bool is_merge : {false, true}) {
    if (is_merge && plan.parts == 1) break;
    llvm::Function* function =
        BeginFunction(name + (is_merge ? "_of_parts" : "_top"), /*numbered=*/false);
    GroupBody body(*points_, traits, aliases_, plan.items,
                   b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
    llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
    TENON_RETURN_IF_ERROR(EmitTopK(body, sort, plan, group, is_merge));
    launches_.push_back({EndFunction(function, plan.items),
                         plan.shape.rows * (is_merge ? 1 : plan.parts)});
  }
  return OkStatus();
}

Status GridEmitter::EmitNetworkPhase(ir::SortOp sort,
                                     const compiler::GroupNetworkPlan& plan,
                                     const std::string& name) {
  const TargetTraits traits = ScalarTraits(options_.target);
  llvm::Function* function = BeginFunction(name + "_network", /*numbered=*/false);
  GroupBody body(*points_, traits, aliases_, plan.items,
                 b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
  llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
  TENON_RETURN_IF_ERROR(EmitNetworkSort(body, sort, plan, group));
  launches_.push_back({EndFunction(function, plan.items), plan.Groups()});
  return OkStatus();
}

// The passes between the first and the last one share their kernels.
Status GridEmitter::EmitRadixPhases(ir::SortOp sort, const compiler::GroupRadixPlan& plan,
                                    const std::string& name) {
  const TargetTraits traits = ScalarTraits(options_.target);
  const int64_t tiles = plan.shape.rows * plan.tiles;
  auto emit = [&](const std::string& suffix, bool numbered,
                  llvm::function_ref<Status(GroupBody&, llvm::Value*, llvm::Value*)> fill)
      -> StatusOr<int64_t> {
    llvm::Function* function = BeginFunction(name + suffix, numbered);
    GroupBody body(*points_, traits, aliases_, plan.items,
                   b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
    llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
    llvm::Value* number = numbered ? function->getArg(function->arg_size() - 1) : nullptr;
    TENON_RETURN_IF_ERROR(fill(body, group, number));
    return EndFunction(function, plan.items);
  };
  TENON_ASSIGN_OR_RETURN(
      const int64_t sums,
      emit("_sums", /*numbered=*/false, [&](GroupBody& body, llvm::Value* group, auto) {
        return EmitCountSums(body, sort, plan, group);
      }));
  int64_t shared_counts = -1, shared_moves = -1;
  for (int number = 0; number < plan.passes; ++number) {
    const bool is_first = number == 0, is_last = number + 1 == plan.passes;
    auto pass = [&](llvm::Value* argument) {
      return RadixPass{argument ? argument : b_.getInt64(static_cast<uint64_t>(number)),
                       is_first, is_last};
    };
    const bool numbered = !is_first && !is_last;
    if (!numbered || shared_counts < 0) {
      const std::string suffix = is_last ? "_last" : is_first ? "_first" : "";
      TENON_ASSIGN_OR_RETURN(
          int64_t counts, emit(suffix + "_counts", numbered,
                               [&](GroupBody& body, llvm::Value* group, auto* argument) {
                                 return EmitDigitCounts(body, sort, plan, pass(argument),
                                                        group);
                               }));
      TENON_ASSIGN_OR_RETURN(
          int64_t moves, emit(suffix + "_moves", numbered,
                              [&](GroupBody& body, llvm::Value* group, auto* argument) {
                                return EmitDigitMoves(body, sort, plan, pass(argument),
                                                      group);
                              }));
      shared_counts = counts;
      shared_moves = moves;
    }
    const int64_t argument = numbered ? number : -1;
    launches_.push_back({shared_counts, tiles, argument});
    launches_.push_back(
        {sums, plan.shape.rows * compiler::kRadixDigits / compiler::kSummedDigits});
    launches_.push_back({shared_moves, tiles, argument});
    if (is_first) shared_counts = shared_moves = -1;
  }
  return OkStatus();
}

Status GridEmitter::EmitFftPhases(ir::FftOp fft, const compiler::GroupFftPlan& plan,
                                  const std::string& name) {
  const TargetTraits traits = ScalarTraits(options_.target);
  for (auto [number, phase] : llvm::enumerate(plan.phases)) {
    if (phase.Rows() == 0) continue;
    const int items = ItemsOfFft(phase, device_);
    llvm::Function* function =
        BeginFunction(name + "_" + std::to_string(number), /*numbered=*/false);
    GroupBody body(*points_, traits, aliases_, items,
                   b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
    llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
    TENON_RETURN_IF_ERROR(EmitGroupFft(body, fft, phase, group));
    const int64_t dynamic = DynamicBytesOfFft(compiler::SpecOf(fft), phase, device_);
    launches_.push_back({EndFunction(function, items, dynamic), phase.Groups()});
  }
  return OkStatus();
}

Status GridEmitter::EmitLinalgPhase(ir::LinalgOp op, const compiler::LinalgSpec& spec,
                                    const std::string& name) {
  const int64_t groups = GroupsOfLinalg(spec);
  if (groups == 0) return OkStatus();
  const int items = ItemsOfLinalg(spec, device_);
  const TargetTraits traits = ScalarTraits(options_.target);
  llvm::Function* function = BeginFunction(name, /*numbered=*/false);
  GroupBody body(*points_, traits, aliases_, items,
                 b_.CreateZExt(device_.local_id(b_), b_.getInt64Ty()), /*waits=*/true);
  llvm::Value* group = b_.CreateZExt(device_.group_id(b_), b_.getInt64Ty());
  TENON_RETURN_IF_ERROR(EmitGroupLinalg(body, op, spec, group));
  launches_.push_back({EndFunction(function, items), groups});
  return OkStatus();
}

// The code for processors, with one item for each chunk.
Status GridEmitter::EmitStructuredPhases(mlir::Operation& op, const std::string& name) {
  if (auto sort = llvm::dyn_cast<ir::SortOp>(op)) {
    if (auto plan = compiler::PlanGroupTopK(sort, options_.target))
      return EmitTopKPhases(sort, *plan, name);
    if (auto plan = compiler::PlanGroupRadix(sort, options_.target))
      return EmitRadixPhases(sort, *plan, name);
    if (auto plan = compiler::PlanGroupNetwork(sort, options_.target))
      return EmitNetworkPhase(sort, *plan, name);
    if (auto plan = compiler::PlanGroupSort(sort, options_.target))
      return EmitSortPhases(sort, *plan, name);
  }
  if (auto fft = llvm::dyn_cast<ir::FftOp>(op))
    if (auto plan = compiler::PlanGroupFft(compiler::SpecOf(fft), options_.target))
      return EmitFftPhases(fft, *plan, name);
  if (auto linalg = llvm::dyn_cast<ir::LinalgOp>(op))
    if (const compiler::LinalgSpec spec = compiler::SpecOf(linalg); HasGroupForm(spec))
      return EmitLinalgPhase(linalg, spec, name);
  TENON_ASSIGN_OR_RETURN(StructuredPlan plan, PlanOf(op, options_.target));
  StructuredKernel kernel = BindStructured(op, std::move(plan), options_.target);
  std::vector<int> function_of = kernel.plan.function_of;
  if (function_of.empty()) {
    function_of.resize(kernel.plan.phase_chunks.size());
    std::iota(function_of.begin(), function_of.end(), 0);
  }
  std::map<int, int64_t> emitted;  // device kernels by their first phase
  for (auto [number, chunks] : llvm::enumerate(kernel.plan.phase_chunks)) {
    if (chunks <= 0) continue;
    const int first = function_of[number];
    const bool shared = std::ranges::count(function_of, first) > 1;
    if (!emitted.contains(first)) {
      llvm::Function* function =
          BeginFunction(name + "_" + std::to_string(first), shared);
      const int items = shared ? 1 : ItemsOfChunks(chunks);
      PhaseArguments arguments{first, b_.getInt64(static_cast<uint64_t>(first)),
                               ItemId(items)};
      if (shared) arguments.phase = function->getArg(function->arg_size() - 1);
      const TargetTraits traits = ScalarTraits(options_.target);
      GroupBody body(*points_, traits, aliases_, /*items=*/1, b_.getInt64(0),
                     /*waits=*/false);
      Status status;
      auto emit = [&] {
        status = kernel.emit_phase(*points_, arguments, [&](mlir::Block& block) {
          return body.EmitBlock(block);
        });
      };
      // The last group may have items without a chunk.
      if (chunks % items == 0)
        emit();
      else
        EmitIf(
            b_,
            b_.CreateICmpULT(arguments.chunk, b_.getInt64(static_cast<uint64_t>(chunks))),
            emit);
      TENON_RETURN_IF_ERROR(status);
      emitted[first] = EndFunction(function, items);
    }
    const int items = shared ? 1 : ItemsOfChunks(chunks);
    launches_.push_back({emitted[first], (chunks + items - 1) / items,
                         shared ? static_cast<int64_t>(number) : -1});
  }
  return OkStatus();
}

StatusOr<std::vector<DeviceLaunch>> GridEmitter::Emit(ir::KernelOp kernel,
                                                      uint32_t number) {
  kernel_ = kernel;
  number_ = number;
  aliases_ = ViewAliases(kernel);
  launches_.clear();
  int index = 0;
  for (mlir::Operation& op : kernel.getBody().front()) {
    const std::string name =
        kernel.getSymName().str() + "_phase" + std::to_string(index++);
    accesses_ = AccessesOf(op);
    if (auto parallel = llvm::dyn_cast<ir::ParallelOp>(op))
      TENON_RETURN_IF_ERROR(EmitParallelPhase(parallel, name));
    else if (auto attention = llvm::dyn_cast<ir::AttentionOp>(op))
      TENON_RETURN_IF_ERROR(EmitAttentionPhase(attention, name));
    else if (std::optional<TiledProduct> product = ProductOf(op))
      TENON_RETURN_IF_ERROR(EmitProductPhase(op, *std::move(product), name));
    else
      TENON_RETURN_IF_ERROR(EmitStructuredPhases(op, name));
  }
  return std::move(launches_);
}

}  // namespace tenon::codegen
