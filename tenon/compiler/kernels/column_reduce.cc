#include "tenon/compiler/kernels/column_reduce.h"

#include <numeric>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

using Indices = llvm::ArrayRef<mlir::Value>;

constexpr int64_t kMinElements = 1 << 15;  // smaller arrays stay in the cache
constexpr int64_t kRows = 8;               // rows read at a time, as parallel streams
constexpr int64_t kBlockGroups = 64;       // of rows, in a block of a sum
// Half of a common first-level cache; the rows that are read need the rest. A constant,
// like the two above, because the order of summation depends on it.
constexpr int64_t kAccumulatorBytes = 16 << 10;
// Elements from which a part is worth accumulators of its own, which are added at the
// end. The number of parts does not depend on that of threads.
constexpr int64_t kPartElements = 1 << 16;

// The results of all reductions, in order. Each has an accumulator.
llvm::SmallVector<mlir::Value> Accumulators(const ColumnReducePlan& plan) {
  llvm::SmallVector<mlir::Value> results;
  for (stablehlo::ReduceOp reduce : plan.reduces)
    llvm::append_range(results, reduce.getResults());
  return results;
}

class Builder {
 public:
  Builder(KernelFrame& frame, const ColumnReducePlan& plan)
      : frame_(frame), plan_(plan), shape_(ShapeOf(frame.yields()[0])) {
    outer_.assign(shape_.begin(), shape_.begin() + plan.outer_rank);
    row_.assign(shape_.begin() + plan.outer_rank, shape_.end() - plan.columns_rank);
    columns_.assign(shape_.end() - plan.columns_rank, shape_.end());
    row_.push_back(Product(columns_));
    blocks_ = (row_.back() + plan.column_block - 1) / plan.column_block;
    total_rows_ = 1;
    for (int64_t dim : plan.reduced) total_rows_ *= plan.shape[dim];
    results_ = Accumulators(plan);
  }

  Status Build() {
    double ns = EstimatePointNs(frame_);
    frame_.built().estimated_ns = ns * Product(shape_);
    ns *= Product(row_) / blocks_;
    if (plan_.parts == 1) {
      return Phase(
          ns,
          [&](PointBuilder& points, Indices outer, mlir::Value,
              mlir::Value column) -> Status {
            TENON_RETURN_IF_ERROR(ReducePart(points, outer, points.index().Constant(0),
                                             column, Local(points, local_)));
            return Finish(points, outer, column);
          });
    }
    llvm::SmallVector<int64_t> sizes{static_cast<int64_t>(results_.size()),
                                     Product(outer_), plan_.parts};
    llvm::append_range(sizes, row_);
    auto scratch_type = mlir::MemRefType::get(sizes, ElementOf(results_[0]));
    scratch_ = frame_.AddScratch(scratch_type);
    TENON_RETURN_IF_ERROR(Phase(
        ns / plan_.parts,
        [&](PointBuilder& points, Indices outer, mlir::Value part, mlir::Value column) {
          auto target = [&](int64_t number, Indices row) {
            return ScratchAt(points, number, outer, part, row);
          };
          return ReducePart(points, outer, part, column, target);
        }));
    parts_done_ = true;
    return Phase(ns / total_rows_ * plan_.parts,
                 [&](PointBuilder& points, Indices outer, mlir::Value,
                     mlir::Value column) { return Finish(points, outer, column); });
  }

 private:
  struct Access {
    mlir::Value view;
    llvm::SmallVector<mlir::Value> indices;
  };
  // The element of accumulator `number` for a point of the row.
  using AccessOf = std::function<Access(int64_t number, Indices row)>;
  using PhaseBody = llvm::function_ref<Status(PointBuilder&, Indices outer,
                                              mlir::Value part, mlir::Value column)>;

  Status Phase(double ns, PhaseBody body) {
    llvm::SmallVector<int64_t> sizes(outer_);
    bool parts = plan_.parts > 1 && !parts_done_;
    if (parts) sizes.push_back(plan_.parts);
    sizes.push_back(blocks_);
    KernelBlock phase(frame_, sizes, frame_.cost().Grain(Product(sizes), ns));
    llvm::SmallVector<mlir::Value> indices = phase.arguments();
    mlir::Value column = indices.pop_back_val();
    mlir::Value part = parts ? indices.pop_back_val() : mlir::Value();
    return body(phase.points(), indices, part, column);
  }

  // Accumulators for a block of a row, in memory of the thread.
  AccessOf Local(PointBuilder& points, mlir::Value& memory) {
    // The dimensions of the row, with the last one cut to a block.
    llvm::SmallVector<int64_t> sizes{static_cast<int64_t>(results_.size())};
    llvm::append_range(sizes, row_);
    sizes.back() = std::min(plan_.column_block, row_.back());
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    auto type = mlir::MemRefType::get(sizes, ElementOf(results_[0]));
    memory = ir::LocalOp::create(b, frame_.loc(), type);
    return [this, &points, memory](int64_t number, Indices row) {
      return LocalAt(points, memory, number, row);
    };
  }
  Access LocalAt(PointBuilder& points, mlir::Value memory, int64_t number, Indices row) {
    Access access{memory, {points.index().Constant(number)}};
    llvm::append_range(access.indices, row);
    access.indices.back() = points.index().Sub(row.back(), column_start_);
    return access;
  }
  Access ScratchAt(PointBuilder& points, int64_t number, Indices outer, mlir::Value part,
                   Indices row) {
    IndexBuilder& index = points.index();
    Access access{scratch_,
                  {index.Constant(number), index.Linearize(outer, outer_), part}};
    llvm::append_range(access.indices, row);
    return access;
  }
  // Loads at the current position, because earlier stores may change the value.
  mlir::Value LoadFrom(PointBuilder& points, const Access& access) {
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    return ir::LoadOp::create(b, frame_.loc(), ScalarTypeOf(results_[0]), access.view,
                              access.indices, mlir::Value(), mlir::Value());
  }

  // Visits the points of block `column` of a row.
  Status OverRow(PointBuilder& points, mlir::Value column,
                 llvm::function_ref<Status(Indices row)> point) {
    IndexBuilder& index = points.index();
    int64_t last = row_.back();
    return BuildSequentialLoops(
        points, llvm::ArrayRef<int64_t>(row_).drop_back(), [&](Indices others) {
          auto [lower, upper] = index.BlockBounds(column, plan_.column_block, last);
          column_start_ = lower;
          return BuildMap(points, lower, upper, last - 1, [&](mlir::Value iv) {
            llvm::SmallVector<mlir::Value> row(others);
            row.push_back(iv);
            return point(row);
          });
        });
  }

  // The indices of `row` in the result, whose last dimensions are one in `row`.
  llvm::SmallVector<mlir::Value> Expand(PointBuilder& points, Indices outer,
                                        Indices row) {
    llvm::SmallVector<mlir::Value> all(outer);
    llvm::append_range(all, row.drop_back());
    llvm::append_range(all, points.index().Delinearize(row.back(), columns_));
    return all;
  }

  // The operands of the reductions in row number `number`.
  StatusOr<llvm::SmallVector<mlir::Value>> ValuesAt(PointBuilder& points,
                                                    mlir::Value number, Indices outer,
                                                    Indices row) {
    llvm::SmallVector<int64_t> sizes;
    for (int64_t dim : plan_.reduced) sizes.push_back(plan_.shape[dim]);
    points.index().SetRange(number, 0, total_rows_ - 1);
    auto position = points.index().Delinearize(number, sizes);
    llvm::SmallVector<mlir::Value> kept = Expand(points, outer, row), all;
    size_t next_kept = 0, next_reduced = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(plan_.shape.size()); ++d) {
      bool is_reduced = llvm::is_contained(plan_.reduced, d);
      all.push_back(is_reduced ? position[next_reduced++] : kept[next_kept++]);
    }
    llvm::SmallVector<mlir::Value> values;
    for (stablehlo::ReduceOp reduce : plan_.reduces) {
      for (mlir::Value input : reduce.getInputs()) {
        TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(input, all, nullptr));
        values.push_back(value);
      }
    }
    return values;
  }

  StatusOr<llvm::SmallVector<mlir::Value>> Combine(PointBuilder& points, Indices x,
                                                   Indices y) {
    llvm::SmallVector<mlir::Value> results;
    for (stablehlo::ReduceOp reduce : plan_.reduces) {
      size_t count = reduce.getNumResults();
      llvm::SmallVector<mlir::Value> arguments(x.slice(results.size(), count));
      llvm::append_range(arguments, y.slice(results.size(), count));
      TENON_ASSIGN_OR_RETURN(auto combined,
                             points.InlineRegion(reduce.getBody(), arguments));
      llvm::append_range(results, combined);
    }
    return results;
  }

  // Combines `count` rows from number `first` on, as a balanced tree.
  StatusOr<llvm::SmallVector<mlir::Value>> Rows(PointBuilder& points, mlir::Value first,
                                                int64_t count, Indices outer,
                                                Indices row) {
    if (count == 1) return ValuesAt(points, first, outer, row);
    IndexBuilder& index = points.index();
    int64_t half = (count + 1) / 2;
    TENON_ASSIGN_OR_RETURN(auto low, Rows(points, first, half, outer, row));
    TENON_ASSIGN_OR_RETURN(auto high, Rows(points, index.Add(first, index.Constant(half)),
                                           count - half, outer, row));
    return Combine(points, low, high);
  }

  // Reduces part `part`: `first_rows` rows, and then some groups of `rows` rows.
  Status ReducePart(PointBuilder& points, Indices outer, mlir::Value part,
                    mlir::Value column, const AccessOf& access_of) {
    IndexBuilder& index = points.index();
    int64_t groups = (total_rows_ - plan_.parts * plan_.first_rows) / plan_.rows;
    int64_t quotient = groups / plan_.parts, rest = groups % plan_.parts;
    // The number of groups before a part. The first `rest` parts have one group more
    // each.
    auto groups_before = [&](mlir::Value number) {
      mlir::Value more =
          rest == 0 ? index.Constant(0) : index.Min(number, index.Constant(rest));
      return index.Add(index.Mul(number, quotient), more);
    };
    mlir::Value before = groups_before(part);
    mlir::Value count =
        index.Sub(groups_before(index.Add(part, index.Constant(1))), before);
    mlir::Value start =
        index.Add(index.Mul(part, plan_.first_rows), index.Mul(before, plan_.rows));
    TENON_RETURN_IF_ERROR(OverRow(points, column, [&](Indices row) -> Status {
      TENON_ASSIGN_OR_RETURN(auto values,
                             Rows(points, start, plan_.first_rows, outer, row));
      Store(points, values, access_of, row);
      return OkStatus();
    }));
    if (groups == 0) return OkStatus();
    const int64_t max_groups = quotient + (rest == 0 ? 0 : 1);
    mlir::Value first = index.Add(start, index.Constant(plan_.first_rows));
    const Groups all{index.Constant(0), count, max_groups - 1, first};
    if (!plan_.sums_in_blocks || max_groups <= kBlockGroups)
      return ReduceGroups(points, all, outer, column, access_of);
    return ReduceBlocks(points, all, outer, column, access_of);
  }

  // Groups of rows: from number `lower` up to `upper`, which is at most `last` + 1.
  // Number 0 begins at row `row0`.
  struct Groups {
    mlir::Value lower, upper;
    int64_t last;
    mlir::Value row0;
  };

  // Combines groups with the accumulators of `access_of`.
  Status ReduceGroups(PointBuilder& points, const Groups& groups, Indices outer,
                      mlir::Value column, const AccessOf& access_of) {
    IndexBuilder& index = points.index();
    return BuildFor(
        points, groups.lower, groups.upper, groups.last, [&](mlir::Value number) {
          mlir::Value first = index.Add(index.Mul(number, plan_.rows), groups.row0);
          return OverRow(points, column, [&](Indices row) -> Status {
            TENON_ASSIGN_OR_RETURN(auto values,
                                   Rows(points, first, plan_.rows, outer, row));
            return CombineInto(points, values, access_of, row);
          });
        });
  }

  // The same with sums of blocks of groups, so that their rounding errors are those of
  // small sums.
  Status ReduceBlocks(PointBuilder& points, const Groups& groups, Indices outer,
                      mlir::Value column, const AccessOf& access_of) {
    IndexBuilder& index = points.index();
    const AccessOf block_of = Local(points, block_);
    const int64_t blocks = CeilDiv(groups.last + 1, kBlockGroups);
    return BuildFor(
        points, index.Constant(0), index.Constant(blocks), blocks - 1,
        [&](mlir::Value block) -> Status {
          TENON_RETURN_IF_ERROR(OverRow(points, column, [&](Indices row) {
            Store(points, Identities(points), block_of, row);
            return OkStatus();
          }));
          mlir::Value lower = index.Mul(block, kBlockGroups);
          mlir::Value upper =
              index.Min(index.Add(lower, index.Constant(kBlockGroups)), groups.upper);
          TENON_RETURN_IF_ERROR(ReduceGroups(
              points, {lower, upper, groups.last, groups.row0}, outer, column, block_of));
          return OverRow(points, column, [&](Indices row) {
            return CombineInto(points, LoadAll(points, block_of, row), access_of, row);
          });
        });
  }

  llvm::SmallVector<mlir::Value> Identities(PointBuilder& points) {
    llvm::SmallVector<mlir::Value> values;
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    for (stablehlo::ReduceOp reduce : plan_.reduces)
      for (unsigned i = 0; i < reduce.getNumResults(); ++i)
        values.push_back(stablehlo::ConstantOp::create(
            b, frame_.loc(), *CombinerIdentity(reduce.getBody().front(), i)));
    return values;
  }

  llvm::SmallVector<mlir::Value> LoadAll(PointBuilder& points, const AccessOf& access_of,
                                         Indices row) {
    llvm::SmallVector<mlir::Value> values;
    for (size_t i = 0; i < results_.size(); ++i)
      values.push_back(LoadFrom(points, access_of(i, row)));
    return values;
  }

  // Combines accumulators with values that come after theirs.
  Status CombineInto(PointBuilder& points, Indices values, const AccessOf& access_of,
                     Indices row) {
    TENON_ASSIGN_OR_RETURN(auto combined,
                           Combine(points, LoadAll(points, access_of, row), values));
    Store(points, combined, access_of, row);
    return OkStatus();
  }

  void Store(PointBuilder& points, Indices values, const AccessOf& access_of,
             Indices row) {
    for (auto [number, value] : llvm::enumerate(values)) {
      Access access = access_of(number, row);
      BuildStore(points, value, access.view, access.indices);
    }
  }

  // Combines the parts with the initial value, and stores the fusion's results.
  Status Finish(PointBuilder& points, Indices outer, mlir::Value column) {
    return OverRow(points, column, [&](Indices row) -> Status {
      llvm::SmallVector<mlir::Value> values;
      for (stablehlo::ReduceOp reduce : plan_.reduces) {
        for (mlir::Value init : reduce.getInitValues()) {
          TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(init, {}, nullptr));
          values.push_back(value);
        }
      }
      for (int64_t part = 0; part < plan_.parts; ++part) {
        llvm::SmallVector<mlir::Value> sums;
        for (size_t i = 0; i < results_.size(); ++i) {
          Access access =
              plan_.parts == 1
                  ? LocalAt(points, local_, i, row)
                  : ScratchAt(points, i, outer, points.index().Constant(part), row);
          sums.push_back(LoadFrom(points, access));
        }
        TENON_ASSIGN_OR_RETURN(values, Combine(points, values, sums));
      }
      llvm::SmallVector<mlir::Value> all = Expand(points, outer, row);
      for (auto [result, value] : llvm::zip_equal(results_, values))
        points.BindPoint(result, all, value);
      return StoreResults(frame_, points, all);
    });
  }

  KernelFrame& frame_;
  const ColumnReducePlan& plan_;
  llvm::SmallVector<int64_t> shape_, outer_;
  llvm::SmallVector<int64_t> row_;      // its last dimension is all of `columns_`
  llvm::SmallVector<int64_t> columns_;  // dimensions of the result
  int64_t blocks_, total_rows_;
  llvm::SmallVector<mlir::Value> results_;
  mlir::Value scratch_, local_, block_, column_start_;
  bool parts_done_ = false;
};

// Whether an element's operands are next to those of the element before it also where an
// index of the dimensions from `first` on begins again.
bool AreContiguous(KernelFrame& frame, int64_t first) {
  return llvm::all_of(frame.region().without_terminator(), [&](mlir::Operation& op) {
    if (llvm::isa<stablehlo::ReduceOp>(op) || IsElementwise(&op) || IsSplatConstant(&op))
      return true;
    auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
    if (!broadcast) return false;
    llvm::ArrayRef<int64_t> operand = ShapeOf(broadcast.getOperand());
    llvm::ArrayRef<int64_t> shape = ShapeOf(broadcast.getResult());
    if (Product(operand) == 1) return true;
    int64_t kept = 0;
    for (auto [size, dim] : llvm::zip_equal(operand, broadcast.getBroadcastDimensions()))
      if (dim >= first && size == shape[dim]) ++kept;
    return kept == static_cast<int64_t>(shape.size()) - first;
  });
}

}  // namespace

std::optional<ColumnReducePlan> PlanColumnReduce(KernelFrame& frame) {
  ColumnReducePlan plan;
  for (mlir::Operation& op : frame.region()) {
    if (llvm::isa<stablehlo::ReduceWindowOp>(op)) return std::nullopt;
    auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
    if (!reduce) continue;
    llvm::SmallVector<int64_t> dims(reduce.getDimensions());
    llvm::sort(dims);
    llvm::SmallVector<int64_t> shape(ShapeOf(reduce.getInputs()[0]));
    if (plan.reduces.empty()) {
      plan.reduced = dims;
      plan.shape = shape;
    }
    if (dims != plan.reduced || shape != plan.shape) return std::nullopt;
    plan.reduces.push_back(reduce);
  }
  if (plan.reduces.empty() || plan.reduced.empty()) return std::nullopt;
  int64_t rank = plan.shape.size(), after = plan.reduced.back() + 1;
  if (after == rank || Product(plan.shape) < kMinElements) return std::nullopt;
  llvm::SmallVector<mlir::Value> results = Accumulators(plan);
  for (mlir::Value result : results)
    if (ElementOf(result) != ElementOf(results[0])) return std::nullopt;
  llvm::SmallVector<int64_t> kept(ShapeOf(results[0]));
  if (kept != ShapeOf(frame.yields()[0])) return std::nullopt;

  // One loop goes through several last dimensions if they are short.
  constexpr int64_t kShortDimension = 64;
  plan.columns_rank = 1;
  int64_t columns = kept.back();
  while (columns < kShortDimension && plan.columns_rank < rank - after &&
         AreContiguous(frame, after))
    columns *= plan.shape[rank - ++plan.columns_rank];
  int64_t total_rows = Product(plan.shape) / Product(kept);
  if (total_rows < 2 * kRows || columns < 16) return std::nullopt;
  // A row is these dimensions, with as many contiguous dimensions before them as the
  // accumulators have room for.
  int64_t bytes = results.size() * ElementBytes(ir::ElementTypeOf(ElementOf(results[0])));
  int64_t max_elements = kAccumulatorBytes / bytes;
  int64_t row_rank = plan.columns_rank, length = columns;
  while (row_rank < rank - after &&
         length * plan.shape[rank - row_rank - 1] <= max_elements)
    length *= plan.shape[rank - ++row_rank];
  plan.outer_rank = kept.size() - row_rank;
  plan.column_block = columns;
  if (row_rank == plan.columns_rank) {
    // Blocks begin where all short dimensions do.
    const int64_t unit = columns / plan.shape[rank - row_rank];
    const int64_t step = unit == 1 ? 64 : std::lcm(int64_t{16}, unit);
    plan.column_block = std::min(columns, max_elements / step * step);
  }
  if (plan.column_block == 0) return std::nullopt;  // too many results for 64 columns
  int64_t units =
      Product(kept) / length * ((columns + plan.column_block - 1) / plan.column_block);

  plan.sums_in_blocks = llvm::all_of(plan.reduces, [](stablehlo::ReduceOp reduce) {
    return AreRoundedSums(reduce.getBody().front());
  });
  plan.rows = kRows;
  plan.first_rows = total_rows % kRows == 0 ? kRows : total_rows % kRows;
  // Columns are cut into parts if there is not enough other parallel work. With nine
  // parts each part starts with the same number of left-over rows.
  plan.parts = 1;
  int64_t parts = plan.first_rows == kRows ? 8 : 9;
  if (units < 8 && Product(plan.shape) >= parts * kPartElements &&
      total_rows >= parts * 2 * kRows)
    plan.parts = parts;
  return plan;
}

Status BuildColumnReduce(KernelFrame& frame, const ColumnReducePlan& plan) {
  return Builder(frame, plan).Build();
}

}  // namespace tenon::compiler
