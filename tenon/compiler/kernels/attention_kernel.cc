// Attention: products with row operations in between, above all softmax(q k) v and its
// gradients. Works on a block of rows at a time. The block of the first products stays in
// the cache until the products that follow have read it.
#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/kernels/products.h"
#include "tenon/compiler/kernels/row_values.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMaxRows = 64, kMinRows = 16;
// Each chunk has scores of its own in scratch. There are a few chunks per thread.
constexpr int64_t kMaxChunks = 32;
// Each block packs 16-bit right-hand sides into k-groups, so there are fewer and larger
// blocks. Chunks that have their own sums over rows are limited in the same way.
constexpr int64_t kMaxNarrowRows = 128, kMaxLargeChunks = 16;
constexpr int64_t kAlignment = 64;
constexpr int64_t kTileBlock = 64;

int64_t BytesOf(mlir::Type element) { return ElementBytes(ir::ElementTypeOf(element)); }
bool IsNarrow(mlir::Type element) { return BytesOf(element) < 4; }

int64_t GrainOf(int64_t blocks, int64_t most_chunks) {
  return CeilDiv(blocks, std::min(blocks, most_chunks));
}

mlir::MemRefType TypeOfView(mlir::Value view) {
  return llvm::cast<mlir::MemRefType>(view.getType());
}

// Whether `value`, in a fusion, depends on one of `of`.
bool IsMadeOf(mlir::Value value, mlir::ValueRange of) {
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

class AttentionBuilder {
 public:
  explicit AttentionBuilder(KernelFrame& frame)
      : frame_(frame), target_(frame.target()) {}

  Status Build();

 private:
  // The rows of a matrix in scratch.
  struct Rows {
    mlir::Type element;
    int64_t pitch = 0;   // elements from one row to the next
    int64_t offset = 0;  // of the first row in a slot
    int64_t row_bytes() const { return pitch * BytesOf(element); }
  };
  // A right-hand side, [batch, k, n]: the view that products read, and the view of its
  // source if it must be copied first.
  struct Operand {
    mlir::Value view;
    mlir::MemRefType copy;  // null: products read `view`
    int64_t offset = 0;     // of the copy in scratch
    mlir::MemRefType type() const { return copy ? copy : TypeOfView(view); }
  };
  // A product that computes scores, whose rows are then transformed.
  struct Scores {
    stablehlo::DotGeneralOp dot;
    ProductViews views;
    mlir::Value kept;  // the value of scores' shape that the block stores
    Rows rows;
    mlir::Value lhs;
    Operand rhs;
  };
  // The result of the row operations. May reuse the memory of scores of its type.
  struct Weights {
    mlir::Value value;
    Rows rows;
  };
  // A product of weights, [batch, row, column], that contracts columns or rows. The other
  // factor is [batch, column, n] or [batch, row, n]. If the other factor is the left one
  // and rows are contracted, it is [batch, n, row].
  struct Product {
    stablehlo::DotGeneralOp dot;
    size_t weights = 0;
    bool weights_first = true;  // the weights are the left operand
    bool over_rows = false;
    mlir::MemRefType other_type;
    Operand other;
    llvm::SmallVector<int64_t> free;     // dimensions n of its result
    llvm::SmallVector<int64_t> results;  // fusion results that depend on it
    // Sums over rows: each chunk has a matrix of this size, at this offset of scratch.
    int64_t offset = 0, rows = 0, columns = 0;
  };

  // One block of rows under construction, in a chunk.
  struct RowBlock {
    mlir::Block* block;
    IndexBuilder& index;
    mlir::Value batch, number;  // the block is number `number` of its batch
    mlir::Value row0, zero, needs;
    int64_t rows, grain;
    bool is_rest;  // the left-over rows
  };

  Status FindProducts();
  Status FindScores(stablehlo::DotGeneralOp dot);
  Status FindProduct(stablehlo::DotGeneralOp dot);
  void ChooseKept(Scores& scores);
  void FindResults();
  void PlaceRows(int64_t rows);
  Status AddOperands();
  static int64_t Pitch(int64_t elements, mlir::Type element);
  Operand MakeOperand(int64_t number, mlir::MemRefType view);
  mlir::Value Find(const Operand& operand, mlir::Block* block, IndexBuilder& index) {
    if (!operand.copy) return operand.view;
    return Subview(block, scratch_, index.Constant(operand.offset), operand.copy);
  }
  Status CopyOperand(const Operand& operand);
  int64_t ChooseRows() const;
  void ChooseGrain();
  ContractNeeds NeedsOfBlock(int64_t rows);
  // Computes `blocks` blocks of `rows` rows, from `first_row` on, of every batch.
  Status BuildBlocks(int64_t first_row, int64_t rows, int64_t blocks);
  Status BuildScores(Scores& scores, mlir::Value batch, mlir::Value row0,
                     ir::ContractOp contract, mlir::Value view);
  Status BuildRows(KernelBlock& phase, mlir::Value batch, mlir::Value row0, int64_t rows,
                   llvm::ArrayRef<mlir::Value> scores,
                   llvm::ArrayRef<mlir::Value> weights);
  // Adds a product to a chunk, with its plan, which does not depend on its epilogue.
  StatusOr<ir::ContractOp> AddPlanned(mlir::Block* block, mlir::Value lhs,
                                      mlir::Value rhs, mlir::Value needs,
                                      mlir::Type accumulate) {
    auto contract = AddContract(block, frame_.loc(), lhs, rhs, needs, accumulate);
    TENON_ASSIGN_OR_RETURN(auto plan, PlanStructured(*contract, target_));
    SetPlan(*contract, plan);
    return contract;
  }
  // Products of the weights of a block, in the view `weights`.
  Status BuildSumOverColumns(Product& product, const RowBlock& at, mlir::Value weights);
  Status BuildSumOverRows(Product& product, const RowBlock& at, mlir::Value weights);
  Status StoreProduct(Product& product, mlir::Block* body, mlir::Value batch,
                      mlir::Value row0);
  // Adds to the sums of one chunk of `product`. The chunk's first block stores them.
  Status AddToSums(Product& product, mlir::Block* body, mlir::Value sums,
                   mlir::Value is_first, bool only_one);
  Status BuildSums(Product& product);
  mlir::Value Subview(mlir::Block* block, mlir::Value source,
                      llvm::ArrayRef<mlir::Value> indices, mlir::MemRefType type) {
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(block);
    return ir::SubviewOp::create(b, frame_.loc(), type, source, indices);
  }
  // A submatrix of one batch, from (`row`, `column`) on.
  mlir::Value Part(mlir::Block* block, mlir::Value source, mlir::Value batch,
                   mlir::Value row, mlir::Value column, int64_t rows, int64_t columns) {
    mlir::MemRefType type = TypeOfView(source);
    return Subview(
        block, source, {batch, row, column},
        StridedView(type.getElementType(), {1, rows, columns}, ir::ViewStrides(type)));
  }
  // The indices of row `row` of a batch in the tensor of scores, without the column.
  llvm::SmallVector<mlir::Value> RowIndices(IndexBuilder& index, mlir::Value batch,
                                            mlir::Value row) {
    auto indices = BatchIndices(index, batch);
    index.SetRange(row, 0, length_ - 1);
    llvm::append_range(indices, index.Delinearize(row, scores_.front().views.m));
    return indices;
  }
  llvm::SmallVector<mlir::Value> BatchIndices(IndexBuilder& index, mlir::Value batch) {
    index.SetRange(batch, 0, batches_ - 1);
    return index.Delinearize(batch, scores_.front().views.batch);
  }
  bool IsNarrowOnly() const {
    return llvm::all_of(weights_,
                        [](const Weights& w) { return IsNarrow(w.rows.element); });
  }
  int64_t MaxChunks() const {
    return SumsOverRows() || IsNarrowOnly() ? kMaxLargeChunks : kMaxChunks;
  }
  bool SumsOverRows() const {
    return llvm::any_of(products_, [](const Product& p) { return p.over_rows; });
  }

  KernelFrame& frame_;
  const TargetTraits& target_;
  llvm::SmallVector<Scores, 2> scores_;
  llvm::SmallVector<Weights, 2> weights_;
  llvm::SmallVector<Product, 4> products_;
  // Fusion results that depend on rows: one element per score, or one per row.
  llvm::SmallVector<int64_t> element_results_, row_results_;
  int64_t batches_ = 0, length_ = 0, width_ = 0;  // of scores: [batch, length, width]
  int64_t blocks_ = 0, grain_ = 1;                // per batch; per chunk
  int64_t slot_bytes_ = 0, slots_offset_ = 0, needs_offset_ = 0;
  mlir::Value scratch_;
};

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
  auto known = llvm::find_if(weights_, [&](Weights& w) { return w.value == value; });
  product.weights = known - weights_.begin();
  if (known == weights_.end()) weights_.push_back({value, {ElementOf(value)}});
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
void AttentionBuilder::ChooseKept(Scores& scores) {
  auto fits = [&](mlir::Type element) {
    return llvm::any_of(weights_, [&](const Weights& weights) {
      mlir::Type of_weights = weights.rows.element;
      return element == of_weights || (element.isF32() && IsNarrow(of_weights));
    });
  };
  auto is_weights = [&](mlir::Value value) {
    return llvm::any_of(weights_, [&](Weights& w) { return w.value == value; });
  };
  scores.kept = scores.dot.getResult();
  for (mlir::Value next = scores.kept; !is_weights(next) && next.hasOneUse();) {
    mlir::Operation* user = *next.getUsers().begin();
    if (!IsElementwise(user) || NeedsRows(user, next)) break;
    next = user->getResult(0);
    if (fits(ElementOf(next))) scores.kept = next;
  }
  scores.rows = {ElementOf(scores.kept), Pitch(width_, ElementOf(scores.kept))};
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
  for (Scores& scores : scores_) ChooseKept(scores);
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
      return IsMadeOf(value, product.dot->getResults());
    });
    if (product != products_.end())
      product->results.push_back(number);
    else if (!IsMadeOf(value, scores))
      products_.front().results.push_back(number);
    else if (ShapeOf(value) == ShapeOf(scores_.front().kept))
      element_results_.push_back(number);
    else
      row_results_.push_back(number);
  }
}

AttentionBuilder::Operand AttentionBuilder::MakeOperand(int64_t number,
                                                        mlir::MemRefType view) {
  Operand operand;
  operand.view = frame_.AddInput(number, view);
  mlir::Type element = view.getElementType();
  auto strides = ir::ViewStrides(view);
  // Every block of rows reads this operand, so a copy pays. It transposes operands whose
  // rows are not contiguous, and pads rows that would share few cache sets. (Products
  // copy narrow elements anyway.)
  if (IsNarrow(element)) return operand;
  if (strides[2] == 1 && strides[1] * BytesOf(element) % 1024 != 0) return operand;
  int64_t pitch = Pitch(view.getDimSize(2), element);
  operand.copy =
      StridedView(element, view.getShape(), {view.getDimSize(1) * pitch, pitch, 1});
  return operand;
}

Status AttentionBuilder::AddOperands() {
  llvm::SmallVector<mlir::Operation*> heroes;
  for (Scores& scores : scores_) {
    heroes.push_back(scores.dot);
    TENON_ASSIGN_OR_RETURN(int64_t lhs, HeroOperand(scores.dot, 0));
    TENON_ASSIGN_OR_RETURN(int64_t rhs, HeroOperand(scores.dot, 1));
    scores.lhs = frame_.AddInput(lhs, scores.views.lhs);
    scores.rhs = MakeOperand(rhs, scores.views.rhs);
  }
  for (Product& product : products_) {
    heroes.push_back(product.dot);
    TENON_ASSIGN_OR_RETURN(int64_t other,
                           HeroOperand(product.dot, product.weights_first ? 1 : 0));
    // A block reads only its own rows of this operand.
    if (product.over_rows)
      product.other.view = frame_.AddInput(other, product.other_type);
    else
      product.other = MakeOperand(other, product.other_type);
  }
  AddOtherInputs(frame_, heroes);
  frame_.AddOutputs();
  return OkStatus();
}

Status AttentionBuilder::CopyOperand(const Operand& operand) {
  if (!operand.copy) return OkStatus();
  mlir::Value source = operand.view;
  auto type = llvm::cast<mlir::MemRefType>(source.getType());
  int64_t k = type.getDimSize(1), n = type.getDimSize(2);
  bool transposed = ir::ViewStrides(type)[2] != 1;
  llvm::SmallVector<int64_t> sizes = {batches_, k};
  if (transposed) sizes = {batches_, CeilDiv(k, kTileBlock), CeilDiv(n, kTileBlock)};
  double point_ns =
      frame_.cost().moved_element_ns * (transposed ? kTileBlock * kTileBlock : n);
  KernelBlock phase(frame_, sizes,
                    frame_.cost().Grain(compiler::Product(sizes), point_ns));
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  auto indices = phase.arguments();
  mlir::Value target = Find(operand, phase.levels().BlockAt(0), index);
  auto copy = [&](llvm::ArrayRef<mlir::Value> at) {
    BuildStore(points, points.Load(source, at, nullptr), target, at);
    return OkStatus();
  };
  if (!transposed) {
    return BuildMap(points, index.Constant(0), index.Constant(n), n - 1,
                    [&](mlir::Value iv) { return copy({indices[0], indices[1], iv}); });
  }
  mlir::OpBuilder b = phase.levels().InnermostBuilder();
  auto tile =
      ir::TileOp::create(b, frame_.loc(), {k, n}, kTileBlock, indices[1], indices[2]);
  mlir::Block* body = b.createBlock(&tile.getBody());
  for (int i = 0; i < 2; ++i) body->addArgument(b.getIndexType(), frame_.loc());
  phase.levels().Push(body);
  return copy({indices[0], body->getArgument(0), body->getArgument(1)});
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
  needs_offset_ = bytes;
}

Status AttentionBuilder::BuildRows(KernelBlock& phase, mlir::Value batch,
                                   mlir::Value row0, int64_t rows,
                                   llvm::ArrayRef<mlir::Value> scores,
                                   llvm::ArrayRef<mlir::Value> weights) {
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::ArrayRef<int64_t> shape = ShapeOf(scores_.front().kept);
  mlir::Value zero = index.Constant(0);
  llvm::SmallVector<mlir::Value> kept, elements;
  for (auto [one, view] : llvm::zip_equal(scores_, scores)) {
    // A view that starts at row 0, though scratch holds only the block's rows.
    llvm::SmallVector<int64_t> strides(one.views.batch.size(), 0);
    for (int64_t stride : RowMajorStrides(one.views.m))
      strides.push_back(stride * one.rows.pitch);
    strides.push_back(1);
    points.Bind(one.kept,
                Subview(phase.levels().BlockAt(0), view, {index.Sub(zero, row0), zero},
                        StridedView(one.rows.element, shape, strides)));
    kept.push_back(one.kept);
  }
  for (Weights& one : weights_) elements.push_back(one.value);
  for (int64_t number : element_results_) elements.push_back(frame_.yields()[number]);
  return BuildFor(points, zero, index.Constant(rows), rows - 1, [&](mlir::Value row) {
    auto outer = RowIndices(index, batch, index.Add(row0, row));
    TENON_RETURN_IF_ERROR(KeepRepeated(frame_, points, elements, kept, shape, outer));
    for (int64_t number : row_results_) {
      mlir::Value result = frame_.yields()[number];
      auto indices = outer;
      if (ShapeOf(result).size() == shape.size()) indices.push_back(zero);
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(result, indices, nullptr));
      BuildStore(points, value, frame_.output(number), indices);
    }
    return BuildLoops(
        points, shape.back(), [&](llvm::ArrayRef<mlir::Value> column) -> Status {
          auto indices = outer;
          indices.push_back(column[0]);
          llvm::SmallVector<mlir::Value> values;
          for (mlir::Value element : elements) {
            TENON_ASSIGN_OR_RETURN(mlir::Value value,
                                   points.At(element, indices, nullptr));
            values.push_back(value);
          }
          auto stored = llvm::ArrayRef<mlir::Value>(values).take_front(weights.size());
          for (auto [view, value] : llvm::zip_equal(weights, stored))
            BuildStore(points, value, view, {row, column[0]});
          for (auto [number, value] : llvm::zip_equal(
                   element_results_, llvm::drop_begin(values, weights.size())))
            BuildStore(points, value, frame_.output(number), indices);
          return OkStatus();
        });
  });
}

Status AttentionBuilder::BuildScores(Scores& scores, mlir::Value batch, mlir::Value row0,
                                     ir::ContractOp contract, mlir::Value view) {
  mlir::Block* body = &contract.getEpilogue().front();
  KernelBlock epilogue(frame_, body);
  PointBuilder& points = epilogue.points();
  mlir::Value row = body->getArgument(1), column = body->getArgument(2);
  auto indices = RowIndices(epilogue.index(), batch, epilogue.index().Add(row0, row));
  indices.push_back(column);
  points.BindPoint(scores.dot.getResult(), indices,
                   AsElementOf(scores.dot.getResult(), body->getArgument(3), points));
  TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(scores.kept, indices, nullptr));
  BuildStore(points, value, view, {row, column});
  return OkStatus();
}

Status AttentionBuilder::StoreProduct(Product& product, mlir::Block* body,
                                      mlir::Value batch, mlir::Value row0) {
  KernelBlock epilogue(frame_, body);
  IndexBuilder& index = epilogue.index();
  auto indices = RowIndices(index, batch, index.Add(row0, body->getArgument(1)));
  index.SetRange(body->getArgument(2), 0, compiler::Product(product.free) - 1);
  auto free = index.Delinearize(body->getArgument(2), product.free);
  auto rows = static_cast<int64_t>(scores_.front().views.m.size());
  indices.insert(product.weights_first ? indices.end() : indices.end() - rows,
                 free.begin(), free.end());
  mlir::Value result = product.dot.getResult();
  epilogue.points().BindPoint(
      result, indices, AsElementOf(result, body->getArgument(3), epilogue.points()));
  return StoreResults(frame_, epilogue.points(), indices, product.results);
}

Status AttentionBuilder::AddToSums(Product& product, mlir::Block* body, mlir::Value sums,
                                   mlir::Value is_first, bool only_one) {
  KernelBlock epilogue(frame_, body);
  PointBuilder& points = epilogue.points();
  mlir::Value row = body->getArgument(1), column = body->getArgument(2);
  mlir::Value value = body->getArgument(3);
  if (!only_one) {
    mlir::Value sum = points.Load(sums, {row, column}, nullptr);
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    sum = stablehlo::AddOp::create(b, frame_.loc(), sum, value);
    value = is_first ? points.Select(is_first, value, sum) : sum;
  }
  BuildStore(points, value, sums, {row, column});
  return OkStatus();
}

Status AttentionBuilder::BuildBlocks(int64_t first_row, int64_t rows, int64_t blocks) {
  // Left-over rows add to the sums of the first chunk of their batch.
  bool rest = first_row != 0;
  int64_t grain = rest ? GrainOf(batches_, MaxChunks()) : grain_;
  KernelBlock phase(frame_, {batches_, blocks}, grain);
  mlir::Block* block = phase.levels().BlockAt(0);
  IndexBuilder& index = phase.index();
  mlir::Value batch = block->getArgument(0), number = block->getArgument(1);
  mlir::Value zero = index.Constant(0);
  mlir::Value slot = index.DivU(index.Add(index.Mul(batch, blocks), number), grain);
  mlir::Value row0 = index.Add(index.Mul(number, rows), index.Constant(first_row));
  auto in_slot = [&](int64_t offset, mlir::MemRefType type) {
    mlir::Value start =
        index.Add(index.Mul(slot, slot_bytes_), index.Constant(slots_offset_ + offset));
    return Subview(block, scratch_, start, type);
  };
  auto rows_in_slot = [&](const Rows& matrix) {
    return in_slot(matrix.offset,
                   StridedView(matrix.element, {rows, width_}, {matrix.pitch, 1}));
  };
  mlir::Value needs = in_slot(
      needs_offset_,
      mlir::MemRefType::get({slot_bytes_ - needs_offset_}, frame_.builder().getI8Type()));
  llvm::SmallVector<mlir::Value> scores, weights;
  for (Scores& one : scores_) {
    scores.push_back(rows_in_slot(one.rows));
    int64_t depth = one.views.lhs.getDimSize(2);
    TENON_ASSIGN_OR_RETURN(
        auto contract,
        AddPlanned(
            block, Part(block, one.lhs, batch, row0, zero, rows, depth),
            Part(block, Find(one.rhs, block, index), batch, zero, zero, depth, width_),
            needs, AccumulateTypeOf(ElementOf(one.dot.getResult()))));
    TENON_RETURN_IF_ERROR(BuildScores(one, batch, row0, contract, scores.back()));
  }
  for (Weights& one : weights_) weights.push_back(rows_in_slot(one.rows));
  TENON_RETURN_IF_ERROR(BuildRows(phase, batch, row0, rows, scores, weights));

  RowBlock place{block, index, batch, number, row0, zero, needs, rows, grain, rest};
  for (Product& product : products_) {
    mlir::Value view = weights[product.weights];
    TENON_RETURN_IF_ERROR(product.over_rows ? BuildSumOverRows(product, place, view)
                                            : BuildSumOverColumns(product, place, view));
  }
  return OkStatus();
}

Status AttentionBuilder::BuildSumOverColumns(Product& product, const RowBlock& at,
                                             mlir::Value weights) {
  const Rows& of = weights_[product.weights].rows;
  mlir::Value other = Find(product.other, at.block, at.index);
  TENON_ASSIGN_OR_RETURN(
      auto contract,
      AddPlanned(at.block,
                 Subview(at.block, weights, {at.zero, at.zero},
                         StridedView(of.element, {1, at.rows, width_},
                                     {of.pitch * at.rows, of.pitch, 1})),
                 Part(at.block, other, at.batch, at.zero, at.zero, width_,
                      compiler::Product(product.free)),
                 at.needs, AccumulateTypeOf(ElementOf(product.dot.getResult()))));
  return StoreProduct(product, &contract.getEpilogue().front(), at.batch, at.row0);
}

Status AttentionBuilder::BuildSumOverRows(Product& product, const RowBlock& at,
                                          mlir::Value weights) {
  const Rows& of = weights_[product.weights].rows;
  int64_t rows = at.rows, whole = of.pitch * rows;
  int64_t free = compiler::Product(product.free);
  IndexBuilder& index = at.index;
  mlir::Type accumulate = AccumulateTypeOf(ElementOf(product.dot.getResult()));
  mlir::Value other = Find(product.other, at.block, index);
  mlir::Value lhs, rhs;
  if (product.weights_first) {
    lhs = Subview(at.block, weights, {at.zero, at.zero},
                  StridedView(of.element, {1, width_, rows}, {whole, 1, of.pitch}));
    rhs = Part(at.block, other, at.batch, at.row0, at.zero, rows, free);
  } else {
    lhs = Part(at.block, other, at.batch, at.zero, at.row0, free, rows);
    rhs = Subview(at.block, weights, {at.zero, at.zero},
                  StridedView(of.element, {1, rows, width_}, {whole, of.pitch, 1}));
  }
  mlir::Value chunk = index.Mul(at.batch, blocks_ / grain_);
  if (!at.is_rest) chunk = index.Add(chunk, index.DivU(at.number, at.grain));
  int64_t bytes = product.rows * product.columns * BytesOf(accumulate);
  mlir::Value sums = Subview(
      at.block, scratch_,
      index.Add(index.Mul(chunk, bytes), index.Constant(product.offset)),
      StridedView(accumulate, {product.rows, product.columns}, {product.columns, 1}));
  mlir::Value is_first = at.is_rest || at.grain == 1
                             ? mlir::Value()
                             : index.Equal(index.RemU(at.number, at.grain), 0);
  TENON_ASSIGN_OR_RETURN(auto contract,
                         AddPlanned(at.block, lhs, rhs, at.needs, accumulate));
  return AddToSums(product, &contract.getEpilogue().front(), sums, is_first,
                   !at.is_rest && at.grain == 1);
}

// Adds up the sums of a batch's chunks, and stores the results that depend on them.
Status AttentionBuilder::BuildSums(Product& product) {
  int64_t chunks = blocks_ / grain_;
  KernelBlock phase(
      frame_, {batches_, product.rows},
      frame_.cost().Grain(batches_ * product.rows,
                          frame_.cost().loaded_element_ns * product.columns * chunks));
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  auto at = phase.arguments();
  mlir::Type accumulate = AccumulateTypeOf(ElementOf(product.dot.getResult()));
  int64_t matrix = product.rows * product.columns;
  mlir::Value sums =
      Subview(phase.levels().BlockAt(0), scratch_, index.Constant(product.offset),
              StridedView(accumulate, {batches_, chunks, product.rows, product.columns},
                          {chunks * matrix, matrix, product.columns, 1}));
  return BuildMap(
      points, index.Constant(0), index.Constant(product.columns), product.columns - 1,
      [&](mlir::Value column) {
        mlir::Value sum;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
          mlir::Value part =
              points.Load(sums, {at[0], index.Constant(chunk), at[1], column}, nullptr);
          mlir::OpBuilder b = points.levels().InnermostBuilder();
          sum = sum ? stablehlo::AddOp::create(b, frame_.loc(), sum, part) : part;
        }
        auto indices = BatchIndices(index, at[0]);
        bool first = product.weights_first;
        auto free = index.Delinearize(first ? column : at[1], product.free);
        if (first) indices.push_back(at[1]);
        llvm::append_range(indices, free);
        if (!first) indices.push_back(column);
        mlir::Value result = product.dot.getResult();
        points.BindPoint(result, indices, AsElementOf(result, sum, points));
        return StoreResults(frame_, points, indices, product.results);
      });
}

// The number of rows of a block. A block fills at most a third of the second-level cache,
// or half of it if the products pack their right-hand sides into k-groups. Prefers a
// divisor of the number of rows, so that no rows are left over.
int64_t AttentionBuilder::ChooseRows() const {
  bool narrow = IsNarrowOnly();
  int64_t row_bytes = CeilDiv(needs_offset_, kMinRows);
  int64_t fitting = target_.l2_bytes / (narrow ? 2 : 3) / row_bytes;
  int64_t each = CeilDiv(batches_ * length_, kMaxChunks);
  int64_t most_rows = narrow ? kMaxNarrowRows : kMaxRows;
  int64_t most = std::min({most_rows, fitting, each, length_});
  most = std::min(std::max(most, kMinRows), length_);
  for (int64_t rows = most; rows >= std::max(kMinRows, most / 2); --rows)
    if (length_ % rows == 0) return rows;
  return most;
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

ContractNeeds AttentionBuilder::NeedsOfBlock(int64_t rows) {
  ContractNeeds needs{1, 0};
  auto consider = [&](stablehlo::DotGeneralOp dot, mlir::MemRefType lhs,
                      mlir::MemRefType rhs) {
    ContractNeeds found =
        NeedsInChunk(lhs, rhs, AccumulateTypeOf(ElementOf(dot.getResult())), target_);
    needs.scratch_bytes = std::max(needs.scratch_bytes, found.scratch_bytes);
    needs.ns += found.ns;
  };
  auto matrix = [](mlir::MemRefType type, int64_t rows, int64_t columns) {
    return StridedView(type.getElementType(), {1, rows, columns}, ir::ViewStrides(type));
  };
  for (Scores& scores : scores_) {
    int64_t depth = scores.views.lhs.getDimSize(2);
    consider(scores.dot, matrix(scores.views.lhs, rows, depth),
             matrix(scores.rhs.type(), depth, width_));
  }
  for (Product& product : products_) {
    const Rows& of = weights_[product.weights].rows;
    int64_t whole = of.pitch * rows, free = compiler::Product(product.free);
    mlir::MemRefType other = product.other.type();
    auto by_rows = StridedView(of.element, {1, rows, width_}, {whole, of.pitch, 1});
    auto by_columns = StridedView(of.element, {1, width_, rows}, {whole, 1, of.pitch});
    if (!product.over_rows)
      consider(product.dot, by_rows, matrix(other, width_, free));
    else if (product.weights_first)
      consider(product.dot, by_columns, matrix(other, rows, free));
    else
      consider(product.dot, matrix(other, free, rows), by_rows);
  }
  return needs;
}

Status AttentionBuilder::Build() {
  TENON_RETURN_IF_ERROR(FindProducts());
  TENON_RETURN_IF_ERROR(AddOperands());
  PlaceRows(kMinRows);
  int64_t rows = ChooseRows();
  PlaceRows(rows);
  blocks_ = length_ / rows;
  int64_t rest = length_ % rows;
  ChooseGrain();
  int64_t slots = CeilDiv(batches_ * blocks_, grain_);
  ContractNeeds needs = NeedsOfBlock(rows);
  double ns = needs.ns * batches_ * blocks_;
  if (rest != 0) {
    slots = std::max(slots, CeilDiv(batches_, GrainOf(batches_, MaxChunks())));
    ContractNeeds of_rest = NeedsOfBlock(rest);
    needs.scratch_bytes = std::max(needs.scratch_bytes, of_rest.scratch_bytes);
    ns += of_rest.ns * batches_;
  }
  slot_bytes_ = AlignUp(needs_offset_ + needs.scratch_bytes, kAlignment);
  int64_t bytes = 0;
  auto take = [&](int64_t size) {
    return std::exchange(bytes, bytes + AlignUp(size, kAlignment));
  };
  llvm::SmallVector<Operand*> operands;
  for (Scores& scores : scores_) operands.push_back(&scores.rhs);
  for (Product& product : products_) operands.push_back(&product.other);
  for (Operand* operand : operands)
    if (operand->copy)
      operand->offset = take(batches_ * ir::ViewStrides(operand->copy)[0] *
                             BytesOf(operand->copy.getElementType()));
  for (Product& product : products_)
    if (product.over_rows)
      product.offset =
          take(batches_ * (blocks_ / grain_) * product.rows * product.columns *
               BytesOf(AccumulateTypeOf(ElementOf(product.dot.getResult()))));
  slots_offset_ = bytes;
  scratch_ = frame_.AddScratch(bytes + slots * slot_bytes_);
  frame_.built().estimated_ns =
      ns + EstimatePointNs(frame_) * compiler::Product(ShapeOf(frame_.yields()[0]));

  for (Operand* operand : operands) TENON_RETURN_IF_ERROR(CopyOperand(*operand));
  TENON_RETURN_IF_ERROR(BuildBlocks(0, rows, blocks_));
  if (rest != 0) TENON_RETURN_IF_ERROR(BuildBlocks(length_ - rest, rest, 1));
  for (Product& product : products_)
    if (product.over_rows) TENON_RETURN_IF_ERROR(BuildSums(product));
  return OkStatus();
}

}  // namespace

Status BuildAttentionKernel(KernelFrame& frame) {
  return AttentionBuilder(frame).Build();
}

}  // namespace tenon::compiler
