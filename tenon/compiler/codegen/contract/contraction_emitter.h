// Emits the stages of a TilePlan for one chunk. An emitter belongs to one phase of one
// kernel and is used by the thread that owns the builder's LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_CONTRACTION_EMITTER_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_CONTRACTION_EMITTER_H_

#include "tenon/compiler/codegen/contract/contract_hooks.h"
#include "tenon/compiler/codegen/contract/element_memory.h"
#include "tenon/compiler/codegen/contract/micro_kernel_function.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

// Element offsets into the operands and, for hooks, their indices.
struct Position {
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  llvm::Value* c = nullptr;
  llvm::Value* row = nullptr;   // index in the row dimension
  llvm::Value* zero = nullptr;  // offset in a row of the table of zero products
  llvm::SmallVector<llvm::Value*, 3> first_tap;  // of each of Contraction::polyphases
  llvm::SmallVector<llvm::Value*, 8> a_index, b_index, c_index;
};

// The rows of a tile whose element at a tap along the row dimension exists.
struct TapRows {
  int first = 0;  // first row, in the first row tile
  int last = 0;   // one past the last row, in the last row tile
};
// `rows`: of the tile; `last_row0`: the first row of the last row tile.
TapRows RowsOfTap(const Window& window, int64_t tap, int rows, int64_t last_row0);

class ContractionEmitter {
 public:
  // Lanes and k indices of a block that is transposed in registers.
  static constexpr int kTransposedBlock = 4;

  ContractionEmitter(IrBuilder& b, const TilePlan& plan, const ContractPointers& pointers,
                     const ContractHooks& hooks);

  // Emits the work of chunk `chunk` of one stage (not kInputCopy).
  Status EmitStage(StageKind stage, llvm::Value* chunk);

 private:
  // One register tile: a static shape.
  struct TileShape {
    int rows;
    int vectors;
    llvm::Value* last_mask;  // of the last vector's lanes; null: all lanes
    // Rows at both ends whose elements of a step are padding.
    int skip_first = 0, skip_last = 0;
    bool IsPadding(int row) const { return row < skip_first || row >= rows - skip_last; }
    // The mask of the lanes of vector `vector`; null: all lanes.
    llvm::Value* Mask(int vector) const {
      return vector == vectors - 1 ? last_mask : nullptr;
    }
  };

  struct Range {
    llvm::Value* lower = nullptr;
    llvm::Value* upper = nullptr;
  };

  // Indices lower..upper-1 of the outermost k dimension.
  struct KBlock {
    llvm::Value *lower, *upper;
    llvm::Value *is_first, *is_last;  // whether it is the first and the last of a slice
  };

  // What a chunk of the compute stage computes. Its column tiles are column_tile0_ up to,
  // but not including, column_tile1_.
  struct ComputeChunk {
    llvm::Value *batch0, *batch1;
    llvm::Value *row_tile0, *row_tile1;  // over all outer indices
    llvm::Value *slice, *q_low, *q_high;
    // If operands are read in place, a partial last column tile has its own code, because
    // lanes past the end must not be accessed.
    int64_t whole_tiles;
    bool has_edge;
    int edge_vectors;
    llvm::Value* edge_mask;  // of the last vector's lanes; null: all lanes
  };

  // Some row tiles of one column tile, in one k block.
  struct TileColumn {
    llvm::Value *batch, *slice, *index;
    llvm::Value *first_row_tile, *last_row_tile;
    KBlock block;
    int vectors;
    llvm::Value* last_mask;
    bool clipped;  // lanes past the end are not computed
  };

  // Where the results of a column tile go.
  struct TileResults {
    bool direct;            // whole tiles are stored to the output
    bool always_direct;     // all tiles are stored there
    bool partial_sums;      // sums are kept in scratch
    llvm::Value* is_whole;  // i1
  };

  // The values that the function of a tile uses.
  struct Tile {
    llvm::Value *a = nullptr, *b_columns = nullptr, *out = nullptr, *buffer = nullptr;
    llvm::Value* is_whole = nullptr;
    KBlock block = {};
    llvm::Value* ahead = nullptr;    // to be prefetched; null: nothing
    llvm::Value* initial = nullptr;  // initial sums; null: zeros
    int64_t row_bytes = 0;           // of the buffer
  };

  // Positions. `Start` is index 0 in every dimension of the given contraction.
  Position Start(const Contraction& problem);
  void Advance(Position& position, const OutDim& dim, llvm::Value* index);
  void Advance(Position& position, const KDim& dim, llvm::Value* index);
  void AdvanceRow(Position& position, llvm::Value* index);
  void AdvancePhase(Position& position, const Polyphase& phases, int number,
                    llvm::Value* phase);
  template <typename Dim>
  void AdvanceAll(Position& position, llvm::ArrayRef<Dim> dims, llvm::Value* flat_index);
  llvm::Value* RowTileStart(llvm::Value* row_tile);

  // Packing (pack_emitter.cc, transposed_pack.cc).
  Status EmitPackA(llvm::Value* chunk);
  Status EmitPackB(llvm::Value* batch, llvm::Value* column_tile);
  Status EmitCopyA(llvm::Value* chunk);
  // Fills one micro-panel of `width` lanes, from lane `first`, of operand a (its row
  // dimension) or b (its lane dimension). `position` is at lane 0 and k index 0.
  Status EmitPackMicroPanel(bool is_a, Position position, llvm::Value* first, int width,
                            llvm::Value* dest);
  Status EmitOuterKLoop(
      const Position& position, llvm::Value* dest, int64_t row_bytes,
      llvm::function_ref<Status(const Position&, llvm::Value* rows)> body);
  Status EmitPackColumns(bool is_a, const Position& position, llvm::Value* count,
                         int width, llvm::Value* rows);
  Status EmitPackElements(bool is_a, const Position& position, llvm::Value* remaining,
                          int width, llvm::Value* rows);
  Status EmitTransposedBlock(llvm::Value* from, llvm::ArrayRef<llvm::Value*> offsets,
                             llvm::Value* dest, int64_t row_bytes);
  Status EmitTransposedRows(const Position& position, const KDim& inner,
                            llvm::Value* first, int width, llvm::Value* dest,
                            int64_t row_bytes);
  // Neighbouring k dimensions of operand b that together are one dimension of stride 1 or
  // -1: the taps of a filter.
  struct TapRun {
    size_t first, last;
    int64_t taps;
  };
  static std::optional<TapRun> FindTapRun(const Contraction& from, bool is_a);
  Status EmitTapRuns(const TapRun& run, const Position& position, llvm::Value* first,
                     int width, llvm::Value* dest);
  bool PacksWholeVectors(const Contraction& from, bool is_a) const;
  Status CallPackRows(const Contraction& from, const Position& position,
                      llvm::Value* count, llvm::Value* remaining, llvm::Value* dest);
  Status EmitMicroPanelRow(bool is_a, const Position& position, llvm::Value* remaining,
                           int width, llvm::Value* dest);
  Status EmitPackAcross(bool is_a, const Position& position, llvm::Value* tile0,
                        llvm::Value* tile1, llvm::Value* k0, llvm::Value* k1,
                        llvm::Value* dest, llvm::Value* micro_panel_bytes);
  Status EmitPackBlock(llvm::Value* batch, llvm::Value* tile0, llvm::Value* tile1,
                       llvm::Value* q0, llvm::Value* q1);
  Status EmitPackAKRange(llvm::Value* chunk);
  Status EmitMicroPanelElements(bool is_a, const Position& position, int lane_dim,
                                int lanes, llvm::Value* mask, llvm::Value* dest,
                                int64_t dest_stride, int width);
  // Packing into k-groups (k_group_emitter.cc).
  Status EmitPackKGroups(bool is_a, Position position, llvm::Value* first, int width,
                         llvm::Value* dest);
  Status EmitKGroupRow(bool is_a, const Position& column, llvm::Value* k_group, int count,
                       llvm::Value* remaining, int width, llvm::Value* to);
  llvm::Value* ElementBits(const ElementValue& value);
  void StoreKGroups(bool is_a, llvm::Value* k_groups, llvm::Value* to, int lanes,
                    int64_t stride, llvm::Value* mask);
  StatusOr<llvm::Value*> LoadKGroups(bool is_a, const Position& first,
                                     llvm::Value* k_group, int count, int lanes,
                                     llvm::Value* mask);
  Status EmitKGroupsAlongK(bool is_a, const Position& column, llvm::Value* to,
                           int64_t stride);
  // Packing a micro-panel of a for the matrix unit, as rows of k-groups
  // (matrix_emitter.cc).
  Status EmitPackMatrixRows(const Position& position, llvm::Value* first,
                            llvm::Value* dest);
  Status EmitPackMatrixColumns(const Position& position, llvm::Value* remaining,
                               llvm::Value* dest);
  // The contraction whose dimensions the packing of an operand iterates over.
  const Contraction& PackSource(bool is_a) const {
    return (is_a ? plan_.pack_k_groups_a : plan_.pack_k_groups_b) ? plan_.elements
                                                                  : source_;
  }
  // Whether the vectors by which an operand is packed run along its innermost k
  // dimension; otherwise they run along its row or lane dimension. The vectors of a hook
  // must also be consecutive in the index that the hook sees; UNIMPLEMENTED if neither
  // dimension has such vectors.
  static StatusOr<bool> PacksAlongK(const Contraction& from, bool is_a);
  // Loads operand elements of a contraction along a dimension of stride `stride`,
  // which is dimension `lane_dim` for hooks, without conversion.
  StatusOr<ElementValue> LoadAsGiven(const Contraction& from, bool is_a,
                                     const Position& position, int lane_dim, int lanes,
                                     int64_t stride, llvm::Value* mask);
  // Loads operand elements of `source`, converted to what the register tile uses.
  StatusOr<ElementValue> LoadOperand(bool is_a, const Position& position, int lane_dim,
                                     int lanes, int64_t stride, llvm::Value* mask);
  // Where a micro-panel of b is for the compute stage, and its bytes.
  llvm::Value* PackedMicroPanel(llvm::Value* batch, llvm::Value* column_tile);
  int64_t MicroPanelBytes() const;
  // The micro-panel in the memory of the kept ones.
  llvm::Value* KeptMicroPanel(llvm::Value* batch, llvm::Value* column_tile);
  // Emits `pack` for runs that do not find b packed already.
  Status EmitUnlessKept(llvm::function_ref<Status()> pack);

  // Compute (tile_emitter.cc, micro_kernel.cc, dot_emitter.cc).
  Status EmitCompute(llvm::Value* chunk);
  ComputeChunk FindComputeChunk(llvm::Value* chunk);
  bool HasKBlocks() const { return plan_.k_block < plan_.slice_size; }
  Status EmitKBlocks(const ComputeChunk& part,
                     llvm::function_ref<Status(const KBlock&)> body);
  Status EmitPrivatePack(llvm::Value* batch, llvm::Value* column_tile);
  Status EmitBatch(const ComputeChunk& part, llvm::Value* batch);
  Status EmitColumnTiles(const ComputeChunk& part, const Position& at_batch,
                         llvm::Value* batch, const KBlock& block,
                         llvm::Value* first_row_tile, llvm::Value* last_row_tile);
  TileResults ResultsOf(const TileColumn& column);
  Status EmitRowTiles(const Position& at_batch, const TileColumn& column);
  Status EmitRowTile(const TileColumn& column, const TileResults& results,
                     const Position& at_columns, llvm::Value* b_columns,
                     llvm::Value* index);
  llvm::Value* TileBuffer(llvm::Value* index, llvm::Value* first_row_tile,
                          int64_t row_bytes);
  llvm::Value* StreamDistance(llvm::Value* column_tile);
  Status EmitTileCalls(const TileColumn& column, const TileResults& results, Tile& tile,
                       llvm::Value* row_tile);
  Status EmitMatrixTileBody(const TileShape& shape, bool direct, const Tile& tile);
  Status EmitVectorTileBody(const TileShape& shape, bool direct, const Tile& tile);
  llvm::Value* SumsPointer(const Tile& tile, bool in_out, int row, int vector);
  Status StoreSums(const TileShape& shape, const Tile& tile, bool to_out,
                   const IrValues& accumulators);
  void AddPreviousSums(const TileShape& shape, const Tile& tile, bool from_out,
                       IrValues& accumulators);
  // Accumulates one tile over the outermost k indices q0..q1-1, added to `accumulators`
  // (row-major, the parts of a complex value next to each other).
  Status EmitMicroKernel(const TileShape& shape, llvm::Value* a, llvm::Value* b_columns,
                         llvm::Value* q0, llvm::Value* q1, IrValues& accumulators);
  Status EmitKLoop(const TileShape& shape, size_t level, llvm::Value* a,
                   llvm::Value* b_columns, llvm::Value* lower, llvm::Value* upper,
                   IrValues& accumulators);
  // The same for windows that reach past the ends of a (window_emitter.cc). FindRanges
  // computes the ranges of windows that an outer dimension clips, for one index of the
  // outer dimensions. `a` and `b_columns` are at index 0 of the level.
  void FindRanges(const Position& position, llvm::ArrayRef<llvm::Value*> outer);
  Status EmitKRange(const TileShape& shape, size_t level, llvm::Value* a,
                    llvm::Value* b_columns, llvm::Value* lower, llvm::Value* upper,
                    IrValues& accumulators);
  // Neighbouring taps along the rows of a tile, and which rows have them.
  struct TapsOfRows {
    TileShape shape;
    llvm::Value *first, *last;  // one past the last
  };
  llvm::SmallVector<TapsOfRows, 4> BorderTaps(const TileShape& shape, const KDim& dim);
  bool JoinsInner(size_t level) const;
  Status EmitBorderTaps(const TileShape& shape, size_t level, llvm::Value* a,
                        llvm::Value* b_columns, llvm::Value* lower, llvm::Value* upper,
                        IrValues& accumulators);
  Status EmitTaps(const TileShape& shape, llvm::Value* a, llvm::Value* b_columns,
                  IrValues& accumulators);
  int64_t LastRow0() const;  // the first row of the last row tile
  // Products of zeros with taps that no loop multiplies (zero_products.cc): 0, or NaN if
  // a tap is not finite. `values` has one value for each vector of the tile.
  Status EmitClippedTaps(const TileShape& shape, llvm::Value* b_columns, llvm::Value* q0,
                         llvm::Value* q1, IrValues& values);
  Status EmitClippedLevel(const TileShape& shape, size_t level, llvm::Value* b_columns,
                          llvm::Value* lower, llvm::Value* upper, llvm::Value* outside,
                          IrValues& bits);
  Status EmitZeroStep(const TileShape& shape, llvm::Value* b_columns, IrValues& bits);
  llvm::Value* NotFinite(const ElementValue& value);
  ElementValue FromBits(llvm::Value* bits);
  llvm::Value* ZeroTable(llvm::Value* row, llvm::Value* index);
  llvm::Value* ZeroTableRow(const Position& position);
  Status EmitZeroProducts(llvm::Value* item);
  Status EmitColumnTileZeroProducts(llvm::Value* batch, llvm::Value* column_tile);
  Status EmitRowZeroProducts(llvm::Value* item);
  Status FillZeroTable(llvm::Value* index, int lanes, int64_t stride, llvm::Value* mask,
                       llvm::function_ref<Status(llvm::ArrayRef<llvm::Value*> first_tap,
                                                 llvm::Value*& bits)>
                           find_bits);
  Status EmitResidueTaps(const Contraction& problem,
                         llvm::ArrayRef<llvm::Value*> first_tap, size_t level, size_t end,
                         const Position& position, llvm::Value*& bits,
                         llvm::function_ref<Status(const Position&, llvm::Value*&)> leaf);
  // Loads the initial sums of a tile from the table of zero products.
  void LoadInitialSums(const TileShape& shape, llvm::Value* initial, IrValues& sums);
  // `locality` is LLVM's: 3 is the first-level cache, 2 the second.
  void EmitPrefetch(llvm::Value* pointer, int locality = 3);
  Status EmitStep(const TileShape& shape, llvm::Value* a, llvm::Value* b_columns, int set,
                  IrValues& accumulators);
  Status EmitGroupStep(const TileShape& shape, llvm::Value* a, llvm::Value* b_columns,
                       int set, IrValues& accumulators);
  // Converts k-groups of a as the instruction requires: if it reads them as unsigned,
  // their elements are offset by 128.
  ElementValue OffsetKGroups(bool is_a, ElementValue value);
  // Accumulates a tile with the matrix unit (matrix_emitter.cc). The result is added to
  // the sums in memory at `dest` unless `first`. Prefetches the memory at `ahead`, if
  // given.
  Status EmitMatrixTile(const TileShape& shape, llvm::Value* a, llvm::Value* b_columns,
                        llvm::Value* ahead, llvm::Value* q0, llvm::Value* q1,
                        llvm::Value* dest, llvm::Value* dest_bytes, llvm::Value* first);
  Status EmitMatrixKLoop(const TileShape& shape, size_t level, llvm::Value* a,
                         llvm::Value* b_columns, llvm::Value* ahead, llvm::Value* lower,
                         llvm::Value* upper);
  int64_t AheadBytes() const;
  void EmitMatrixStep(const TileShape& shape, llvm::Value* a, llvm::Value* b_columns);
  void ConfigureRegisters(int rows, int vectors);
  Status EmitDotCompute(llvm::Value* chunk);
  // A tile of dot products; the values are arguments of its function.
  struct DotTile {
    int rows;
    llvm::Value *buffer, *a;
    llvm::SmallVector<llvm::Value*, 4> b_rows;
  };
  Status EmitDotTile(const Position& position, llvm::Value* column, int rows);
  Status EmitDotTileBody(const DotTile& tile);
  Status EmitDotStep(const DotTile& tile, llvm::Value* k, int set, llvm::Value* mask,
                     IrValues& values);
  int DotSumParts() const;
  ElementValue DotSum(const IrValues& values, int number) const;
  void SetDotSum(IrValues& values, int number, const ElementValue& sum) const;
  ElementValue AddLanes(ElementValue sum);

  // Tiles whose code programs share (shared_tile.cc). Null: the tile has its own code.
  std::optional<MicroKernel> FindMicroKernel(const TileShape& shape) const;
  // Whether the loops over k have the form of the micro-kernel's.
  bool HasMicroKernelLoops() const;
  Status EmitSharedTile(const TileShape& shape, const Tile& tile, MicroKernel kernel);
  Range SetBlocks(const Tile& tile, MicroKernel& kernel, MicroKernelArguments& arguments);
  void SetRowTaps(const TileShape& shape, const Tile& tile, MicroKernel& kernel,
                  MicroKernelArguments& arguments);
  // Sets the loops, the runs and the positions of the operands for one k block.
  void SetMicroKernelLoops(const TileShape& shape, const Tile& tile, MicroKernel& kernel,
                           MicroKernelArguments& arguments);

  // Results (store_emitter.cc).
  bool DirectStore() const;
  // The polyphase whose outputs `dim` counts, if not all of its phases have equally many
  // outputs; else null.
  const Polyphase* UnevenPhases(const OutDim& dim) const;
  // Limits `count` outputs along `dim` from a position to the outputs of the phase from
  // that position on.
  llvm::Value* LimitOutputs(const OutDim& dim, const Position& position,
                            llvm::Value* count);
  // Stores a tile that is in memory: `rows` rows of `row_bytes`, column tile
  // `column_tile`.
  Status EmitStoreTile(const Position& position, llvm::Value* column_tile,
                       llvm::Value* buffer, int64_t row_bytes, llvm::Value* rows);
  Status CallCopyTile(const Position& position, llvm::Value* buffer, int64_t row_bytes,
                      llvm::Value* rows, llvm::Value* columns, bool partial);
  Status EmitStoreColumns(const Position& position, llvm::Value* buffer,
                          int64_t row_bytes, llvm::Value* last_row, llvm::Value* rows,
                          llvm::Value* columns);
  VectorAccess ResultAccess(const Position& position, const OutDim& dim, int lanes,
                            llvm::Value* mask);
  Status EmitPrefetchResults(const Position& position);
  Status EmitStore(const Position& position, bool along_rows, int lanes,
                   llvm::Value* mask, const ElementValue& value);
  Status EmitReduce(llvm::Value* chunk);
  // A row of the partial sums of a column tile in scratch.
  llvm::Value* PartialRow(llvm::Value* slice, llvm::Value* row, llvm::Value* column_tile);
  int64_t PartialRowBytes() const;

  ElementValue Accumulator(llvm::ArrayRef<llvm::Value*> values, int64_t index) const;
  int64_t TileWidth() const { return int64_t{plan_.vectors} * plan_.lanes; }
  bool HasPartialVector() const { return problem_.lane.size % plan_.lanes != 0; }
  llvm::Value* I64(int64_t value) { return b_.getInt64(value); }

  IrBuilder& b_;
  const TilePlan& plan_;
  const Contraction& problem_;
  const Contraction& source_;
  const ContractHooks& hooks_;
  llvm::Value* a_ = nullptr;  // as given
  llvm::Value* b_pointer_ = nullptr;
  llvm::Value* a_tile_ = nullptr;  // where the compute stage reads it
  llvm::Value* b_tile_ = nullptr;
  llvm::Value* out_ = nullptr;
  llvm::Value* scratch_ = nullptr;
  // If ContractPointers::packed is given: that memory, whether there is any (i1), and
  // whether b is packed there already (i1).
  llvm::Value *kept_panels_ = nullptr, *keeps_ = nullptr, *is_packed_ = nullptr;
  llvm::Value* tile_buffer_ = nullptr;
  llvm::Value* chunk_ = nullptr;  // of the compute stage
  llvm::Value* packed_block_ = nullptr;
  // The first column tile of a chunk, and the one past its last.
  llvm::Value *column_tile0_ = nullptr, *column_tile1_ = nullptr;
  // Prefetch distance of the rows of b, in bytes.
  llvm::Value* stream_ahead_ = nullptr;
  // The ranges of the k dimensions whose windows an outer dimension clips, and whether
  // the row tile is the first and the last.
  llvm::SmallVector<Range, 4> ranges_;
  llvm::Value* is_first_ = nullptr;
  llvm::Value* is_last_ = nullptr;
};

// Emits one item of StageKind::kInputCopy: the two innermost dimensions of the copy at
// one index of the others. `lhs` may be null if the copy has a hook.
Status EmitInputCopy(IrBuilder& b, const InputCopy& copy, const TargetTraits& target,
                     llvm::Value* lhs, llvm::Value* dest, const LoadHook& hook,
                     llvm::Value* item);

// Emits phase `phase` of the plan.
Status EmitPhase(IrBuilder& b, const KernelPlan& plan, int phase,
                 const ContractPointers& pointers, llvm::Value* chunk,
                 const ContractHooks& hooks);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_CONTRACTION_EMITTER_H_
