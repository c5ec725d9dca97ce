// Attention: products with row operations in between, above all softmax(q k) v and its
// gradients. Works on a block of rows at a time. The block of the first products stays in
// the cache until the products that follow have read it.
#ifndef TENON_COMPILER_KERNELS_ATTENTION_BUILDER_H_
#define TENON_COMPILER_KERNELS_ATTENTION_BUILDER_H_

#include "llvm/ADT/MapVector.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/analysis/softmax.h"
#include "tenon/compiler/kernels/products.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {

class AttentionBuilder {
 public:
  explicit AttentionBuilder(KernelFrame& frame)
      : frame_(frame), target_(frame.target()) {}

  Status Build();

 private:
  // Rows of a block (docs/design/0010).
  static constexpr int64_t kMaxRows = 64, kMinRows = 16;
  // Each chunk has scores of its own in scratch. There are a few chunks per thread.
  static constexpr int64_t kMaxChunks = 32;
  // Each block packs 16-bit right-hand sides into k-groups, so there are fewer and larger
  // blocks. Chunks that have their own sums over rows are limited in the same way.
  static constexpr int64_t kMaxNarrowRows = 128, kMaxLargeChunks = 16;
  // A device runs more chunks at once. Blocks that fit are in the local memory of a
  // group.
  static constexpr int64_t kDeviceChunks = 256, kDeviceRows = 32, kMinLocalRows = 8;
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kTileBlock = 64;
  static constexpr int64_t kPanelVectors = 2;  // of the columns of a panel

  static int64_t BytesOf(mlir::Type element) {
    return ElementBytes(ir::ElementTypeOf(element));
  }
  static bool IsNarrow(mlir::Type element) { return BytesOf(element) < 4; }

  static int64_t GrainOf(int64_t blocks, int64_t max_chunks) {
    return CeilDiv(blocks, std::min(blocks, max_chunks));
  }

  static mlir::MemRefType TypeOfView(mlir::Value view) {
    return llvm::cast<mlir::MemRefType>(view.getType());
  }

  // The rows of a matrix in scratch.
  struct Rows {
    mlir::Type element;
    int64_t pitch = 0;   // elements from one row to the next
    int64_t offset = 0;  // of the first row in a slot
    int64_t row_bytes() const { return pitch * BytesOf(element); }
  };
  // Some columns of a right-hand side, from `first` on: [panel, k, column of the panel].
  // `offset` is that of the first element from the start of a batch's copy, in bytes. The
  // last panel starts at `last_start`: it may have columns of the one before again.
  struct Columns {
    mlir::MemRefType panels;
    int64_t first = 0, offset = 0, last_start = 0;
  };
  // A right-hand side, [batch, k, n]: the kernel's input, and its copy in scratch if
  // products read a copy.
  struct Operand {
    mlir::Value view;
    llvm::SmallVector<Columns, 2> copy;  // empty: products read `view`
    int64_t offset = 0;                  // of the copy in scratch
    int64_t batch_bytes() const;         // of the copy
    bool has_panels() const {
      return !copy.empty() &&
             copy[0].panels.getDimSize(2) < TypeOfView(view).getDimSize(2);
    }
    // What a block multiplies with, one after another.
    llvm::SmallVector<Columns, 2> ColumnsOf() const;
  };
  // A product that computes scores, whose rows are then transformed.
  struct Scores {
    stablehlo::DotGeneralOp dot;
    ProductViews views;
    mlir::Value stored_value;  // the value of scores' shape that the block stores
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
    mlir::Value row0, zero, product_scratch;
    int64_t rows, grain;
    bool is_left_over;  // fewer rows than a whole block
  };

  Status FindProducts();
  Status FindScores(stablehlo::DotGeneralOp dot);
  Status FindProduct(stablehlo::DotGeneralOp dot);
  void ChooseStoredValue(Scores& scores);
  void FindResults();
  void PlaceRows(int64_t rows);
  Status AddOperands();
  static int64_t Pitch(int64_t elements, mlir::Type element);
  // `may_repeat`: whether columns of the result may be stored twice.
  Operand MakeOperand(int64_t number, mlir::MemRefType view, bool may_repeat);
  bool HasPanels(mlir::MemRefType view) const;
  void CutIntoPanels(Operand& operand, bool may_repeat);
  // The first column of panel `number`.
  static mlir::Value PanelStart(IndexBuilder& index, mlir::Value number,
                                const Columns& columns) {
    llvm::ArrayRef<int64_t> shape = columns.panels.getShape();
    if (shape[0] == 1) return index.Constant(columns.first);
    mlir::Value start =
        index.Add(index.Mul(number, shape[2]), index.Constant(columns.first));
    const bool repeats = columns.last_start < columns.first + (shape[0] - 1) * shape[2];
    return repeats ? index.Min(start, index.Constant(columns.last_start)) : start;
  }
  // A matrix, [1, m, k], as the left-hand side of each panel.
  static mlir::MemRefType RepeatedFor(mlir::MemRefType matrix, const Columns& columns) {
    auto strides = ir::ViewStrides(matrix);
    return StridedView(
        matrix.getElementType(),
        {columns.panels.getDimSize(0), matrix.getDimSize(1), matrix.getDimSize(2)},
        {0, strides[1], strides[2]});
  }
  Status CopyColumns(const Operand& operand, const Columns& columns);
  // The panels of a batch in scratch.
  mlir::Value FindPanels(const Operand& operand, const Columns& columns,
                         mlir::Block* block, IndexBuilder& index, mlir::Value batch) {
    mlir::Value start = index.Add(index.Mul(batch, operand.batch_bytes()),
                                  index.Constant(operand.offset + columns.offset));
    return Subview(block, scratch_, start, columns.panels);
  }
  int64_t ChooseRows();
  int64_t RowsLimit();
  int64_t DeviceRowsLimit();
  void ChooseGrain();
  ContractResources ResourcesOfBlock(int64_t rows);
  // Computes `blocks` blocks of `rows` rows, from `first_row` on, of every batch.
  Status BuildBlocks(int64_t first_row, int64_t rows, int64_t blocks);
  // The value of `scores` in the epilogue `body` of its product, whose rows start at
  // `row0` (null: 0) of the batch.
  StatusOr<mlir::Value> ScoreAt(KernelBlock& epilogue, Scores& scores, mlir::Block* body,
                                mlir::Value batch, mlir::Value row0, mlir::Value column);
  Status BuildScores(Scores& scores, const RowBlock& row_block, mlir::Value view);
  Status BuildRows(KernelBlock& phase, mlir::Value batch, mlir::Value row0, int64_t rows,
                   llvm::ArrayRef<mlir::Value> scores,
                   llvm::ArrayRef<mlir::Value> weights);
  // Adds a product to a chunk, with its plan, which does not depend on its epilogue.
  StatusOr<ir::ContractOp> AddPlanned(mlir::Block* block, mlir::Value lhs,
                                      mlir::Value rhs, mlir::Value scratch,
                                      mlir::Type accumulate) {
    auto contract = AddContract(block, frame_.loc(), lhs, rhs, scratch, accumulate);
    TENON_ASSIGN_OR_RETURN(auto plan, PlanStructured(*contract, target_));
    SetPlan(*contract, plan);
    return contract;
  }
  // Products of the weights of a block, in the view `weights`.
  Status BuildSumOverColumns(Product& product, const RowBlock& row_block,
                             mlir::Value weights);
  Status BuildSumOverRows(Product& product, const RowBlock& row_block,
                          mlir::Value weights);
  Status StoreProduct(Product& product, mlir::Block* body, mlir::Value batch,
                      mlir::Value row0, const Columns& columns);
  // The product of `lhs`, a matrix of one batch, by columns of `operand`.
  StatusOr<ir::ContractOp> Multiply(const RowBlock& row_block, mlir::Value lhs,
                                    const Operand& operand, const Columns& columns,
                                    mlir::Type accumulate);
  // In the epilogue `body` of such a product, the column of the right-hand side.
  static mlir::Value ColumnIn(KernelBlock& epilogue, mlir::Block* body,
                              const Columns& columns);
  // The following are in attention_stream.cc. How the kernel can be tenon.attention ops:
  // a softmax and one product, or reductions, those of a level after those of the levels
  // before.
  struct Stream {
    std::optional<Softmax> softmax;
    llvm::SmallVector<llvm::SmallVector<stablehlo::ReduceOp>> levels;
  };
  // One tenon.attention. Its rows are the keys if it is `over_rows`.
  struct Pass {
    bool over_rows = false;
    llvm::SmallVector<size_t> products;
    const Softmax* softmax = nullptr;
    bool stores_rows = false;  // all results of rows
    llvm::SmallVector<stablehlo::ReduceOp> folds;
    llvm::SmallVector<size_t> scores;         // those that it needs
    llvm::SmallVector<mlir::Value> elements;  // with those to fold at the end
    llvm::SmallVector<mlir::Value> folded;
    llvm::SmallVector<int64_t> element_numbers, same_as;  // of each product
    llvm::SmallVector<mlir::Value> lhs, rhs, factors;
  };
  std::optional<Stream> FindStream();
  bool HasStreamedTypes();
  bool IsElementOf(mlir::Value value, stablehlo::DotGeneralOp dot);
  bool IsFolded(mlir::Operation* op);
  Status BuildStream(const Stream& stream);
  void AddProductPasses(bool over_rows, std::vector<Pass>& passes);
  Status AddPassOperands(Pass& pass);
  Status BuildPass(Pass& pass);
  Status BuildElements(Pass& pass, mlir::Block* block);
  llvm::SmallVector<mlir::Value> ElementIndices(const Pass& pass, IndexBuilder& index,
                                                mlir::Block* block);
  void BindFolds(KernelBlock& body, mlir::Block* block);
  Status StoreRows(Pass& pass, mlir::Block* block);
  Status StoreSumOverRows(Product& product, mlir::Block* block);
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
    if (target_.device) return kDeviceChunks;
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
  int64_t local_bytes_ = 0;
  bool in_local_ = false;  // the scores and weights of a block are in local memory
  llvm::MapVector<mlir::Operation*, int64_t> fold_offsets_;  // of reductions, in scratch
  int64_t slot_bytes_ = 0, slots_offset_ = 0, product_scratch_offset_ = 0;
  mlir::Value scratch_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_ATTENTION_BUILDER_H_
