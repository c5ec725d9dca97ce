// Two products with rows in between, softmax(q k) v above all: a block of rows of the
// first product at a time, which stays in the cache until the second one has read it.
#include "tenon/compiler/codegen/emitter/structured_emitter.h"
#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/kernels/point_ops.h"
#include "tenon/compiler/kernels/products.h"
#include "tenon/compiler/kernels/row_values.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMostRows = 64, kLeastRows = 16;
// Of 16-bit operands: right-hand sides are brought into words for every block.
constexpr int64_t kMostNarrowRows = 128;
// Chunks, each with scores of its own: a few for every thread.
constexpr int64_t kMostChunks = 32;
constexpr int64_t kAlignment = 64;
constexpr int64_t kTileBlock = 64;

int64_t CeilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
int64_t AlignUp(int64_t x, int64_t to) { return CeilDiv(x, to) * to; }

// Whether `op` has operands, other than `scores`, that are made of reductions: those are
// done once a row, where there are rows.
bool NeedsRows(mlir::Operation* op, mlir::Value scores) {
  llvm::SmallVector<mlir::Operation*> work{op};
  llvm::SmallPtrSet<mlir::Operation*, 16> seen;
  while (!work.empty()) {
    for (mlir::Value operand : work.pop_back_val()->getOperands()) {
      mlir::Operation* def = operand == scores ? nullptr : operand.getDefiningOp();
      if (!def || !seen.insert(def).second) continue;
      if (llvm::isa<stablehlo::ReduceOp>(def)) return true;
      work.push_back(def);
    }
  }
  return false;
}

int64_t BytesOf(mlir::Type element) { return ElementBytes(ir::ElementTypeOf(element)); }

// Whether `value`, in a fusion, is made of `of`.
bool IsMadeOf(mlir::Value value, mlir::Value of) {
  llvm::SmallVector<mlir::Value> work{value};
  llvm::SmallPtrSet<mlir::Operation*, 32> seen;
  while (!work.empty()) {
    mlir::Value next = work.pop_back_val();
    if (next == of) return true;
    mlir::Operation* def = next.getDefiningOp();
    if (def && seen.insert(def).second) llvm::append_range(work, def->getOperands());
  }
  return false;
}

class AttentionBuilder {
 public:
  AttentionBuilder(KernelFrame& frame, const codegen::TargetTraits& target)
      : frame_(frame), target_(target) {}

  Status Build();

 private:
  // A right-hand side, [batch, k, n]: where products find it, and where it comes from if
  // it has to be copied first.
  struct Operand {
    mlir::Value view;
    mlir::MemRefType copy;  // null: read where it is
    int64_t offset = 0;     // of the copy, in scratch
  };

  // Rows of a matrix in scratch.
  struct Rows {
    mlir::Type element;
    int64_t pitch = 0;   // elements from row to row
    int64_t offset = 0;  // of the first one in a slot
    int64_t row_bytes() const { return pitch * BytesOf(element); }
  };

  Status FindProducts();
  void FindResults();
  static int64_t Pitch(int64_t elements, mlir::Type element);
  Operand MakeOperand(int64_t number, mlir::MemRefType view);
  mlir::Value Find(const Operand& operand, mlir::Block* block, IndexBuilder& index) {
    if (!operand.copy) return operand.view;
    return Subview(block, scratch_, index.Constant(operand.offset), operand.copy);
  }
  Status CopyOperand(const Operand& operand);
  bool IsInPlace() const { return score_rows_.element == weight_rows_.element; }
  int64_t ChooseRows() const;
  // `blocks` blocks of `rows` rows from `first_row` on, of every batch.
  Status BuildBlocks(int64_t first_row, int64_t rows, int64_t blocks);
  Status BuildRows(KernelBlock& phase, mlir::Value batch, mlir::Value row0, int64_t rows,
                   mlir::Value scores, mlir::Value weights);
  mlir::Value Subview(mlir::Block* block, mlir::Value source,
                      llvm::ArrayRef<mlir::Value> indices, mlir::MemRefType type) {
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(block);
    return ir::SubviewOp::create(b, frame_.loc(), type, source, indices);
  }
  // The indices of row `row` of a batch in the tensor of scores, before the last one.
  llvm::SmallVector<mlir::Value> RowIndices(IndexBuilder& index, mlir::Value batch,
                                            mlir::Value row) {
    index.SetRange(batch, 0, batches_ - 1);
    auto indices = index.Delinearize(batch, first_views_.batch);
    indices.push_back(row);
    return indices;
  }
  int64_t Grain(int64_t blocks) const {
    return CeilDiv(batches_ * blocks, std::min(batches_ * blocks, kMostChunks));
  }

  KernelFrame& frame_;
  const codegen::TargetTraits& target_;
  stablehlo::DotGeneralOp first_, second_;
  mlir::Value scores_;         // what is kept of the first product, of its shape
  mlir::Value weights_;        // operand of the second one
  bool weights_first_ = true;  // its left one
  // Results of the fusion, by what makes them: rows (elements, or one value a row), the
  // second product.
  llvm::SmallVector<int64_t> element_results_, row_results_, product_results_;
  ProductViews first_views_;
  mlir::MemRefType rhs_type_;                     // [batch, k, n] of the second product
  llvm::SmallVector<int64_t> columns_;            // of its result
  int64_t batches_ = 0, length_ = 0, width_ = 0;  // of scores: [batch, length, width]
  int64_t depth_ = 0;                             // of the sums of the first product
  // The weights take the place of the scores if they are of one type.
  Rows score_rows_, weight_rows_;
  int64_t slot_bytes_ = 0, slots_offset_ = 0, needs_offset_ = 0;
  mlir::Value lhs_, scratch_;
  Operand keys_, values_;
};

// Rows a multiple of 1 KiB apart would share few cache sets.
int64_t AttentionBuilder::Pitch(int64_t elements, mlir::Type element) {
  int64_t line = kAlignment / BytesOf(element);
  int64_t pitch = AlignUp(elements, line);
  return pitch * BytesOf(element) % 1024 == 0 ? pitch + line : pitch;
}

Status AttentionBuilder::FindProducts() {
  llvm::SmallVector<stablehlo::DotGeneralOp, 2> dots(
      frame_.region().getOps<stablehlo::DotGeneralOp>());
  if (dots.size() != 2) return Internal("attention needs two products");
  first_ = dots[0];
  second_ = dots[1];
  weights_first_ = second_.getLhs().getDefiningOp() != nullptr;
  weights_ = weights_first_ ? second_.getLhs() : second_.getRhs();
  mlir::Type element = ElementOf(weights_);
  // What every loop over a row starts from is computed once, with the product: the last
  // value that has room in a row of weights, or is what narrow ones are made of.
  scores_ = first_.getResult();
  for (mlir::Value next = scores_; next != weights_ && next.hasOneUse();) {
    mlir::Operation* user = *next.getUsers().begin();
    if (!IsElementwise(user) || NeedsRows(user, next)) break;
    next = user->getResult(0);
    if (ElementOf(next) == element ||
        (ElementOf(next).isF32() && BytesOf(element) < BytesOf(ElementOf(next))))
      scores_ = next;
  }
  TENON_ASSIGN_OR_RETURN(first_views_, ViewsOfProduct(first_));
  TENON_ASSIGN_OR_RETURN(ProductViews second, ViewsOfProduct(second_));
  columns_ = weights_first_ ? second.n : second.m;
  rhs_type_ = second.rhs;
  if (!weights_first_) {
    llvm::ArrayRef<int64_t> sizes = second.lhs.getShape();
    auto strides = ir::ViewStrides(second.lhs);
    rhs_type_ = StridedView(element, {sizes[0], sizes[2], sizes[1]},
                            {strides[0], strides[2], strides[1]});
  }
  batches_ = first_views_.lhs.getDimSize(0);
  length_ = first_views_.lhs.getDimSize(1);
  depth_ = first_views_.lhs.getDimSize(2);
  width_ = first_views_.rhs.getDimSize(2);
  score_rows_.element = ElementOf(scores_);
  score_rows_.pitch = Pitch(width_, score_rows_.element);
  weight_rows_.element = element;
  weight_rows_.pitch = Pitch(width_, element);
  return OkStatus();
}

void AttentionBuilder::FindResults() {
  for (auto [number, value] : llvm::enumerate(frame_.yields())) {
    bool of_rows =
        IsMadeOf(value, first_.getResult()) && !IsMadeOf(value, second_.getResult());
    bool of_elements = ShapeOf(value) == ShapeOf(weights_);
    auto& results = !of_rows      ? product_results_
                    : of_elements ? element_results_
                                  : row_results_;
    results.push_back(static_cast<int64_t>(number));
  }
}

AttentionBuilder::Operand AttentionBuilder::MakeOperand(int64_t number,
                                                        mlir::MemRefType view) {
  Operand operand;
  operand.view = frame_.AddInput(number, view);
  mlir::Type element = view.getElementType();
  auto strides = ir::ViewStrides(view);
  // Every block of rows reads it: rows across vectors are transposed once, and rows that
  // would share few cache sets moved together. (Products copy narrow elements anyway.)
  if (BytesOf(element) < 4) return operand;
  if (strides[2] == 1 && strides[1] * BytesOf(element) % 1024 != 0) return operand;
  int64_t pitch = Pitch(view.getDimSize(2), element);
  operand.copy =
      StridedView(element, view.getShape(), {view.getDimSize(1) * pitch, pitch, 1});
  return operand;
}

Status AttentionBuilder::CopyOperand(const Operand& operand) {
  if (!operand.copy) return OkStatus();
  mlir::Value source = operand.view;
  auto type = llvm::cast<mlir::MemRefType>(source.getType());
  int64_t k = type.getDimSize(1), n = type.getDimSize(2);
  bool transposed = ir::ViewStrides(type)[2] != 1;
  constexpr double kPointNs = 0.1;
  llvm::SmallVector<int64_t> sizes = {batches_, k};
  if (transposed) sizes = {batches_, CeilDiv(k, kTileBlock), CeilDiv(n, kTileBlock)};
  double point_ns = kPointNs * (transposed ? kTileBlock * kTileBlock : n);
  KernelBlock phase(frame_, sizes, ChooseGrain(Product(sizes), point_ns));
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

Status AttentionBuilder::BuildRows(KernelBlock& phase, mlir::Value batch,
                                   mlir::Value row0, int64_t rows, mlir::Value scores,
                                   mlir::Value weights) {
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::ArrayRef<int64_t> shape = ShapeOf(scores_);
  // As if all rows lay there.
  llvm::SmallVector<int64_t> strides(shape.size() - 2, 0);
  strides.append({score_rows_.pitch, 1});
  mlir::Value zero = index.Constant(0);
  points.Bind(scores_,
              Subview(phase.levels().BlockAt(0), scores, {index.Sub(zero, row0), zero},
                      StridedView(score_rows_.element, shape, strides)));
  llvm::SmallVector<mlir::Value> elements{weights_};
  for (int64_t number : element_results_) elements.push_back(frame_.yields()[number]);
  return BuildFor(points, zero, index.Constant(rows), rows - 1, [&](mlir::Value row) {
    auto outer = RowIndices(index, batch, index.Add(row0, row));
    TENON_RETURN_IF_ERROR(KeepRepeated(frame_, points, elements, scores_, shape, outer));
    for (int64_t number : row_results_) {
      mlir::Value result = frame_.yields()[number];
      auto indices = outer;
      if (ShapeOf(result).size() == shape.size()) indices.push_back(zero);
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(result, indices, nullptr));
      BuildStore(points, value, frame_.output(number), indices);
    }
    return BuildLoops(points, shape.back(),
                      [&](llvm::ArrayRef<mlir::Value> column) -> Status {
                        auto indices = outer;
                        indices.push_back(column[0]);
                        llvm::SmallVector<mlir::Value> values;
                        for (mlir::Value element : elements) {
                          TENON_ASSIGN_OR_RETURN(mlir::Value value,
                                                 points.At(element, indices, nullptr));
                          values.push_back(value);
                        }
                        BuildStore(points, values[0], weights, {row, column[0]});
                        for (auto [number, value] :
                             llvm::zip_equal(element_results_, llvm::drop_begin(values)))
                          BuildStore(points, value, frame_.output(number), indices);
                        return OkStatus();
                      });
  });
}

Status AttentionBuilder::BuildBlocks(int64_t first_row, int64_t rows, int64_t blocks) {
  int64_t grain = Grain(blocks);
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
  auto part = [&](mlir::Value source, mlir::Value from, int64_t count) {
    auto type = llvm::cast<mlir::MemRefType>(source.getType());
    return Subview(block, source, {batch, from, zero},
                   StridedView(type.getElementType(), {1, count, type.getDimSize(2)},
                               ir::ViewStrides(type)));
  };
  auto rows_in_slot = [&](const Rows& matrix) {
    return in_slot(matrix.offset,
                   StridedView(matrix.element, {rows, width_}, {matrix.pitch, 1}));
  };
  mlir::Value scores = rows_in_slot(score_rows_), weights = rows_in_slot(weight_rows_);
  mlir::Value needs = in_slot(
      needs_offset_,
      mlir::MemRefType::get({slot_bytes_ - needs_offset_}, frame_.builder().getI8Type()));

  auto first = AddContract(block, frame_.loc(), part(lhs_, row0, rows),
                           part(Find(keys_, block, index), zero, depth_), needs,
                           AccumulateTypeOf(ElementOf(first_.getResult())));
  {
    mlir::Block* body = &first.getEpilogue().front();
    KernelBlock epilogue(frame_, body);
    PointBuilder& points = epilogue.points();
    mlir::Value row = body->getArgument(1), column = body->getArgument(2);
    auto indices = RowIndices(epilogue.index(), batch, epilogue.index().Add(row0, row));
    indices.push_back(column);
    points.BindPoint(first_.getResult(), indices,
                     AsElementOf(first_.getResult(), body->getArgument(3), points));
    TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(scores_, indices, nullptr));
    BuildStore(points, value, scores, {row, column});
  }
  TENON_RETURN_IF_ERROR(BuildRows(phase, batch, row0, rows, scores, weights));

  int64_t pitch = weight_rows_.pitch;
  mlir::Value lhs = Subview(
      block, weights, {zero, zero},
      StridedView(weight_rows_.element, {1, rows, width_}, {pitch * rows, pitch, 1}));
  auto second = AddContract(block, frame_.loc(), lhs,
                            part(Find(values_, block, index), zero, width_), needs,
                            AccumulateTypeOf(ElementOf(second_.getResult())));
  mlir::Block* body = &second.getEpilogue().front();
  KernelBlock epilogue(frame_, body);
  IndexBuilder& in_body = epilogue.index();
  auto indices = RowIndices(in_body, batch, in_body.Add(row0, body->getArgument(1)));
  in_body.SetRange(body->getArgument(2), 0, Product(columns_) - 1);
  auto columns = in_body.Delinearize(body->getArgument(2), columns_);
  indices.insert(weights_first_ ? indices.end() : indices.end() - 1, columns.begin(),
                 columns.end());
  epilogue.points().BindPoint(
      second_.getResult(), indices,
      AsElementOf(second_.getResult(), body->getArgument(3), epilogue.points()));
  return StoreResults(frame_, epilogue.points(), indices, product_results_);
}

// As many as a third of the second-level cache has room for (half of it, if the products
// bring their right-hand sides into words); none left over, if possible.
int64_t AttentionBuilder::ChooseRows() const {
  bool narrow = BytesOf(weight_rows_.element) < 4;
  int64_t row_bytes = score_rows_.row_bytes();
  if (!IsInPlace()) row_bytes += weight_rows_.row_bytes();
  int64_t fitting = target_.l2_bytes / (narrow ? 2 : 3) / row_bytes;
  int64_t each = CeilDiv(batches_ * length_, kMostChunks);
  int64_t most_rows = narrow ? kMostNarrowRows : kMostRows;
  int64_t most = std::min({most_rows, fitting, each, length_});
  most = std::min(std::max(most, kLeastRows), length_);
  for (int64_t rows = most; rows >= std::max(kLeastRows, most / 2); --rows)
    if (length_ % rows == 0) return rows;
  return most;
}

Status AttentionBuilder::Build() {
  TENON_RETURN_IF_ERROR(FindProducts());
  TENON_ASSIGN_OR_RETURN(int64_t lhs, HeroOperand(first_, 0));
  TENON_ASSIGN_OR_RETURN(int64_t keys, HeroOperand(first_, 1));
  TENON_ASSIGN_OR_RETURN(int64_t values, HeroOperand(second_, weights_first_ ? 1 : 0));
  lhs_ = frame_.AddInput(lhs, first_views_.lhs);
  keys_ = MakeOperand(keys, first_views_.rhs);
  values_ = MakeOperand(values, rhs_type_);
  AddOtherInputs(frame_, {first_, second_});
  frame_.AddOutputs();
  FindResults();

  int64_t rows = ChooseRows();
  int64_t blocks = length_ / rows, rest = length_ % rows;
  int64_t slots = CeilDiv(batches_ * blocks, Grain(blocks));
  if (rest != 0) slots = std::max(slots, CeilDiv(batches_, Grain(1)));
  needs_offset_ = AlignUp(rows * score_rows_.row_bytes(), kAlignment);
  if (!IsInPlace()) {
    weight_rows_.offset = needs_offset_;
    needs_offset_ += AlignUp(rows * weight_rows_.row_bytes(), kAlignment);
  }
  double ns = 0;
  int64_t needs = 1;
  for (int64_t count : {rows, rest}) {
    if (count == 0) continue;
    auto type_of = [&](Operand& operand) {
      return operand.copy ? operand.copy
                          : llvm::cast<mlir::MemRefType>(operand.view.getType());
    };
    auto consider = [&](stablehlo::DotGeneralOp product, int64_t k, mlir::Type lhs,
                        llvm::ArrayRef<int64_t> lhs_strides, Operand& rhs) {
      mlir::MemRefType type = type_of(rhs);
      codegen::ContractNeeds found = codegen::NeedsInChunk(
          StridedView(lhs, {1, count, k}, lhs_strides),
          StridedView(type.getElementType(), {1, k, type.getDimSize(2)},
                      ir::ViewStrides(type)),
          AccumulateTypeOf(ElementOf(product.getResult())), target_);
      needs = std::max(needs, found.scratch_bytes);
      ns += found.ns * batches_ * (count == rows ? blocks : 1);
    };
    consider(first_, depth_, first_views_.lhs.getElementType(),
             ir::ViewStrides(first_views_.lhs), keys_);
    int64_t pitch = weight_rows_.pitch;
    consider(second_, width_, weight_rows_.element, {pitch * count, pitch, 1}, values_);
  }
  slot_bytes_ = AlignUp(needs_offset_ + needs, kAlignment);
  int64_t bytes = 0;
  for (Operand* operand : {&keys_, &values_}) {
    operand->offset = bytes;
    if (operand->copy)
      bytes += AlignUp(batches_ * ir::ViewStrides(operand->copy)[0] *
                           BytesOf(operand->copy.getElementType()),
                       kAlignment);
  }
  slots_offset_ = bytes;
  scratch_ = frame_.AddScratch(bytes + slots * slot_bytes_);
  frame_.built().estimated_ns =
      ns + EstimatePointNs(frame_.fusion()) * Product(ShapeOf(frame_.yields()[0]));

  TENON_RETURN_IF_ERROR(CopyOperand(keys_));
  TENON_RETURN_IF_ERROR(CopyOperand(values_));
  TENON_RETURN_IF_ERROR(BuildBlocks(0, rows, blocks));
  return rest == 0 ? OkStatus() : BuildBlocks(length_ - rest, rest, 1);
}

}  // namespace

Status BuildAttentionKernel(KernelFrame& frame, const codegen::TargetTraits& target) {
  return AttentionBuilder(frame, target).Build();
}

}  // namespace tenon::compiler
