// The plan of an attention kernel: its products and their operands, the number of rows of
// a block, and the layout of scratch.
#include "tenon/compiler/kernels/attention_builder.h"
#include "tenon/compiler/plan/tile_plan.h"
#include "tenon/compiler/targets/device_target.h"

namespace tenon::compiler {
namespace {

// Whether `value`, in a fusion, depends on one of `of`.
bool DependsOn(mlir::Value value, mlir::ValueRange of) {
  llvm::SmallVector<mlir::Value> work{value};
  llvm::SmallPtrSet<mlir::Operation*, 32> seen;
  while (!work.empty()) {
    mlir::Value next = work.pop_back_val();
    if (llvm::is_contained(of, next)) return true;
    mlir::Operation* def = next.getDefiningOp();
    if (def && seen.insert(def).second) llvm::append_range(work, def->getOperands());
  }
  return false;
}

// Whether an operand of `op` other than `scores` depends on a reduction or product. Such
// operands are known only once a row is complete.
bool NeedsRows(mlir::Operation* op, mlir::Value scores) {
  llvm::SmallVector<mlir::Operation*> work{op};
  llvm::SmallPtrSet<mlir::Operation*, 16> seen;
  while (!work.empty()) {
    for (mlir::Value operand : work.pop_back_val()->getOperands()) {
      mlir::Operation* def = operand == scores ? nullptr : operand.getDefiningOp();
      if (!def || !seen.insert(def).second) continue;
      if (llvm::isa<stablehlo::ReduceOp, stablehlo::DotGeneralOp>(def)) return true;
      work.push_back(def);
    }
  }
  return false;
}

}  // namespace

// Rows that are a multiple of 1 KiB apart would share few cache sets, so these are
// padded.
int64_t AttentionBuilder::Pitch(int64_t elements, mlir::Type element) {
  int64_t line = kAlignment / BytesOf(element);
  int64_t pitch = AlignUp(elements, line);
  return pitch * BytesOf(element) % 1024 == 0 ? pitch + line : pitch;
}

Status AttentionBuilder::FindScores(stablehlo::DotGeneralOp dot) {
  Scores scores;
  scores.dot = dot;
  TENON_ASSIGN_OR_RETURN(scores.views, ViewsOfProduct(dot));
  batches_ = scores.views.lhs.getDimSize(0);
  length_ = scores.views.lhs.getDimSize(1);
  width_ = scores.views.rhs.getDimSize(2);
  scores_.push_back(std::move(scores));
  return OkStatus();
}

Status AttentionBuilder::FindProduct(stablehlo::DotGeneralOp dot) {
  Product product;
  product.dot = dot;
  product.weights_first = dot.getLhs().getDefiningOp() != nullptr;
  mlir::Value value = product.weights_first ? dot.getLhs() : dot.getRhs();
  auto numbers = dot.getDotDimensionNumbers();
  auto sum = product.weights_first ? numbers.getLhsContractingDimensions()
                                   : numbers.getRhsContractingDimensions();
  product.over_rows = sum[0] != static_cast<int64_t>(ShapeOf(value).size()) - 1;
  auto entry = llvm::find_if(weights_, [&](Weights& w) { return w.value == value; });
  product.weights = entry - weights_.begin();
  if (entry == weights_.end()) weights_.push_back({value, {ElementOf(value)}});
  TENON_ASSIGN_OR_RETURN(ProductViews views, ViewsOfProduct(dot));
  product.free = product.weights_first ? views.n : views.m;
  product.other_type = product.weights_first ? views.rhs : views.lhs;
  int64_t free = compiler::Product(product.free);
  product.rows = product.weights_first ? width_ : free;
  product.columns = product.weights_first ? free : width_;
  if (!product.weights_first && !product.over_rows) {
    llvm::ArrayRef<int64_t> sizes = views.lhs.getShape();
    auto strides = ir::ViewStrides(views.lhs);
    product.other_type =
        StridedView(views.lhs.getElementType(), {sizes[0], sizes[2], sizes[1]},
                    {strides[0], strides[2], strides[1]});
  }
  products_.push_back(std::move(product));
  return OkStatus();
}

// Chooses the value that the product's epilogue stores: the last elementwise value after
// the product that fits a row of weights, or that narrow weights are converted from.
// Every loop over a row starts from it.
void AttentionBuilder::ChooseStoredValue(Scores& scores) {
  auto fits = [&](mlir::Type element) {
    return llvm::any_of(weights_, [&](const Weights& weights) {
      mlir::Type of_weights = weights.rows.element;
      return element == of_weights || (element.isF32() && IsNarrow(of_weights));
    });
  };
  auto is_weights = [&](mlir::Value value) {
    return llvm::any_of(weights_, [&](Weights& w) { return w.value == value; });
  };
  scores.stored_value = scores.dot.getResult();
  for (mlir::Value next = scores.stored_value; !is_weights(next) && next.hasOneUse();) {
    mlir::Operation* user = *next.getUsers().begin();
    if (!IsElementwise(user) || NeedsRows(user, next)) break;
    next = user->getResult(0);
    if (fits(ElementOf(next))) scores.stored_value = next;
  }
  scores.rows = {ElementOf(scores.stored_value),
                 Pitch(width_, ElementOf(scores.stored_value))};
}

Status AttentionBuilder::FindProducts() {
  auto is_of_weights = [](stablehlo::DotGeneralOp dot) {
    return dot.getLhs().getDefiningOp() || dot.getRhs().getDefiningOp();
  };
  for (auto dot : frame_.region().getOps<stablehlo::DotGeneralOp>())
    if (!is_of_weights(dot)) TENON_RETURN_IF_ERROR(FindScores(dot));
  for (auto dot : frame_.region().getOps<stablehlo::DotGeneralOp>())
    if (is_of_weights(dot)) TENON_RETURN_IF_ERROR(FindProduct(dot));
  if (scores_.empty() || products_.empty())
    return Internal("attention needs products before and after its rows");
  for (Scores& scores : scores_) ChooseStoredValue(scores);
  for (Weights& weights : weights_)
    weights.rows.pitch = Pitch(width_, weights.rows.element);
  FindResults();
  return OkStatus();
}

void AttentionBuilder::FindResults() {
  llvm::SmallVector<mlir::Value> scores;
  for (Scores& one : scores_) scores.push_back(one.dot.getResult());
  for (auto [index, value] : llvm::enumerate(frame_.yields())) {
    auto number = static_cast<int64_t>(index);
    auto product = llvm::find_if(products_, [&](Product& product) {
      return DependsOn(value, product.dot->getResults());
    });
    if (product != products_.end())
      product->results.push_back(number);
    else if (!DependsOn(value, scores))
      products_.front().results.push_back(number);
    else if (ShapeOf(value) == ShapeOf(scores_.front().stored_value))
      element_results_.push_back(number);
    else
      row_results_.push_back(number);
  }
}

int64_t AttentionBuilder::Operand::batch_bytes() const {
  int64_t bytes = 0;
  for (const Columns& columns : copy)
    bytes += columns.panels.getDimSize(0) * ir::ViewStrides(columns.panels)[0] *
             BytesOf(columns.panels.getElementType());
  return AlignUp(bytes, kAlignment);
}

llvm::SmallVector<AttentionBuilder::Columns, 2> AttentionBuilder::Operand::ColumnsOf()
    const {
  if (!copy.empty()) return copy;
  return {Columns()};  // all
}

// Whether a copy of a right-hand side consists of panels, as wide as a register tile.
// They are read in order. The rows of a matrix that is larger than the second-level cache
// are each on other lines and pages, which arrive late; with 32 registers a tile has more
// work for each of them (docs/design/0010).
bool AttentionBuilder::HasPanels(mlir::MemRefType view) const {
  constexpr int64_t kManyRegisters = 32, kMinBlocks = 4;
  mlir::Type element = view.getElementType();
  if (target_.device || target_.vector_registers >= kManyRegisters ||
      !llvm::isa<mlir::FloatType>(element) || IsNarrow(element))
    return false;
  return length_ >= kMinBlocks * kMinRows &&
         view.getDimSize(1) * view.getDimSize(2) * BytesOf(element) >=
             target_.l2_bytes / 4;
}

// Cuts [k, n] into panels, of which the last may be narrower, or else begin earlier.
void AttentionBuilder::CutIntoPanels(Operand& operand, bool may_repeat) {
  mlir::MemRefType view = TypeOfView(operand.view);
  mlir::Type element = view.getElementType();
  const int64_t k = view.getDimSize(1), n = view.getDimSize(2);
  const int64_t width = kPanelVectors * target_.vector_bits / (8 * BytesOf(element));
  auto add = [&](int64_t first, int64_t count, int64_t size) {
    if (count == 0 || size == 0) return;
    operand.copy.push_back({StridedView(element, {count, k, size}, {k * size, size, 1}),
                            first, first * k * BytesOf(element),
                            std::min(first + (count - 1) * size, n - size)});
  };
  if (may_repeat && n >= width) {
    add(0, CeilDiv(n, width), width);
    return;
  }
  add(0, n / width, width);
  add(n / width * width, 1, n % width);
}

AttentionBuilder::Operand AttentionBuilder::MakeOperand(int64_t number,
                                                        mlir::MemRefType view,
                                                        bool may_repeat) {
  Operand operand;
  operand.view = frame_.AddInput(number, view);
  mlir::Type element = view.getElementType();
  auto strides = ir::ViewStrides(view);
  // Every block of rows reads this operand, so a copy pays. It transposes operands whose
  // rows are not contiguous, and pads rows that would share few cache sets. (Products
  // copy narrow elements anyway.)
  if (IsNarrow(element)) return operand;
  if (HasPanels(view)) {
    CutIntoPanels(operand, may_repeat);
    return operand;
  }
  if (strides[2] == 1 && strides[1] * BytesOf(element) % 1024 != 0) return operand;
  const int64_t k = view.getDimSize(1), n = view.getDimSize(2);
  int64_t pitch = Pitch(n, element);
  operand.copy.push_back({StridedView(element, {1, k, n}, {k * pitch, pitch, 1})});
  return operand;
}

Status AttentionBuilder::AddOperands() {
  llvm::SmallVector<mlir::Operation*> heroes;
  for (Scores& scores : scores_) {
    heroes.push_back(scores.dot);
    TENON_ASSIGN_OR_RETURN(int64_t lhs, HeroOperand(scores.dot, 0));
    TENON_ASSIGN_OR_RETURN(int64_t rhs, HeroOperand(scores.dot, 1));
    scores.lhs = frame_.AddInput(lhs, scores.views.lhs);
    // Scores are stored in scratch, which no epilogue reads.
    scores.rhs = MakeOperand(rhs, scores.views.rhs, /*may_repeat=*/true);
  }
  for (Product& product : products_) {
    heroes.push_back(product.dot);
    TENON_ASSIGN_OR_RETURN(int64_t other,
                           HeroOperand(product.dot, product.weights_first ? 1 : 0));
    // A block reads only its own rows of this operand.
    if (product.over_rows)
      product.other.view = frame_.AddInput(other, product.other_type);
    else
      product.other = MakeOperand(other, product.other_type, /*may_repeat=*/false);
  }
  AddOtherInputs(frame_, heroes);
  frame_.AddOutputs();
  return OkStatus();
}

// Assigns scratch offsets. Weights reuse the memory of scores of their type.
void AttentionBuilder::PlaceRows(int64_t rows) {
  int64_t bytes = 0;
  auto place = [&](Rows& matrix) {
    matrix.offset = bytes;
    bytes += AlignUp(rows * matrix.row_bytes(), kAlignment);
  };
  llvm::SmallVector<Rows*, 2> free;
  for (Scores& scores : scores_) {
    place(scores.rows);
    free.push_back(&scores.rows);
  }
  for (Weights& weights : weights_) {
    auto fitting = llvm::find_if(
        free, [&](Rows* place) { return place->element == weights.rows.element; });
    if (fitting == free.end()) {
      place(weights.rows);
      continue;
    }
    weights.rows.offset = (*fitting)->offset;
    free.erase(fitting);
  }
  product_scratch_offset_ = bytes;
}

// A block fills at most a third of the second-level cache, or half of it if the products
// pack their right-hand sides into k-groups.
int64_t AttentionBuilder::RowsLimit() {
  if (target_.device) return DeviceRowsLimit();
  bool narrow = IsNarrowOnly();
  int64_t row_bytes = CeilDiv(product_scratch_offset_, kMinRows);
  int64_t fitting = target_.l2_bytes / (narrow ? 2 : 3) / row_bytes;
  int64_t each = CeilDiv(batches_ * length_, kMaxChunks);
  int64_t max_rows = narrow ? kMaxNarrowRows : kMaxRows;
  int64_t rows_limit = std::min({max_rows, fitting, each, length_});
  return std::min(std::max(rows_limit, kMinRows), length_);
}

// What the blocks of products (grid/tiled_product.cc), cached values of rows and
// reductions leave of the local memory of a group is for scores and weights.
int64_t AttentionBuilder::DeviceRowsLimit() {
  constexpr int64_t kBlockElements = 2 * 64 * 16, kReductionBytes = 4 << 10;
  int64_t sum_bytes = 0;
  auto consider = [&](stablehlo::DotGeneralOp dot) {
    sum_bytes =
        std::max(sum_bytes, BytesOf(AccumulateTypeOf(ElementOf(dot.getResult()))));
  };
  for (Scores& scores : scores_) consider(scores.dot);
  for (Product& product : products_) consider(product.dot);
  int64_t left =
      target_.device->local_bytes / 8 * 7 - kBlockElements * sum_bytes - kReductionBytes;
  int64_t row_bytes = CeilDiv(product_scratch_offset_, kMinRows);
  int64_t fitting = std::max<int64_t>(0, left) / row_bytes;
  in_local_ = fitting >= std::min(kMinLocalRows, length_);
  return std::min(in_local_ ? std::min(fitting, kMaxRows) : kDeviceRows, length_);
}

// The number of rows of a block. Prefers a divisor of the number of rows, so that no rows
// are left over. With panels it consists of whole register tiles: tiles of fewer rows
// hide the latency of multiply-adds only just.
int64_t AttentionBuilder::ChooseRows() {
  int64_t rows_limit = RowsLimit();
  int64_t least = std::max(std::min(kMinRows, rows_limit), rows_limit / 2);
  const bool has_panels = llvm::any_of(
      products_, [](const Product& product) { return product.other.has_panels(); });
  const int64_t unit =
      has_panels ? MaxTileRows(target_.vector_registers, kPanelVectors) : 1;
  if (rows_limit >= 2 * unit) rows_limit = rows_limit / unit * unit;
  for (int64_t rows = rows_limit; rows >= least; rows -= unit)
    if (length_ % rows == 0) return rows;
  return rows_limit;
}

// Chunks with sums belong to one batch each, and have equally many blocks.
void AttentionBuilder::ChooseGrain() {
  if (!SumsOverRows()) {
    grain_ = GrainOf(batches_ * blocks_, MaxChunks());
    return;
  }
  grain_ = 1;
  while (blocks_ % grain_ != 0 ||
         (grain_ < blocks_ && batches_ * (blocks_ / grain_) > MaxChunks()))
    ++grain_;
}

ContractResources AttentionBuilder::ResourcesOfBlock(int64_t rows) {
  ContractResources resources{1, 0};
  auto consider = [&](stablehlo::DotGeneralOp dot, mlir::MemRefType lhs,
                      mlir::MemRefType rhs) {
    ContractResources found =
        ResourcesInChunk(lhs, rhs, AccumulateTypeOf(ElementOf(dot.getResult())), target_);
    resources.scratch_bytes = std::max(resources.scratch_bytes, found.scratch_bytes);
    resources.ns += found.ns;
  };
  auto matrix = [](mlir::MemRefType type, int64_t rows, int64_t columns) {
    return StridedView(type.getElementType(), {1, rows, columns}, ir::ViewStrides(type));
  };
  auto multiply = [&](stablehlo::DotGeneralOp dot, mlir::MemRefType lhs,
                      const Operand& operand) {
    mlir::MemRefType all = TypeOfView(operand.view);
    if (operand.copy.empty())
      consider(dot, lhs, matrix(all, all.getDimSize(1), all.getDimSize(2)));
    for (const Columns& columns : operand.copy)
      consider(dot, RepeatedFor(lhs, columns), columns.panels);
  };
  for (Scores& scores : scores_) {
    int64_t depth = scores.views.lhs.getDimSize(2);
    multiply(scores.dot, matrix(scores.views.lhs, rows, depth), scores.rhs);
  }
  for (Product& product : products_) {
    const Rows& of = weights_[product.weights].rows;
    int64_t whole = of.pitch * rows, free = compiler::Product(product.free);
    auto by_rows = StridedView(of.element, {1, rows, width_}, {whole, of.pitch, 1});
    auto by_columns = StridedView(of.element, {1, width_, rows}, {whole, 1, of.pitch});
    mlir::MemRefType other = TypeOfView(product.other.view);
    if (!product.over_rows)
      multiply(product.dot, by_rows, product.other);
    else if (product.weights_first)
      consider(product.dot, by_columns, matrix(other, rows, free));
    else
      consider(product.dot, matrix(other, free, rows), by_rows);
  }
  return resources;
}

}  // namespace tenon::compiler
