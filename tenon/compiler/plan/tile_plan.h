// The common form of products and convolutions: one affine contraction, out[i...] = sum
// over k... of a[i..., k...] * b[i..., k...], and the plan of its loops. Operand b is
// read in vectors along one dimension. Internal to plan/ and codegen/contract. Plain
// values; any thread.
//
// The loops follow BLIS. The k dimensions (KDim) are the contracted ones; a k block
// (k_block) is a range of the outermost one whose operands stay in a cache (BLIS's KC).
// A register tile (BLIS: micro-tile) has `rows` x `vectors` * `lanes` results. Row tiles
// and column tiles count the register tiles along the rows and along the lanes. A packed
// operand is a sequence of micro-panels: one for each row tile of a, one for each column
// tile of b.
#ifndef TENON_COMPILER_PLAN_TILE_PLAN_H_
#define TENON_COMPILER_PLAN_TILE_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// A term of the affine index of an operand, as hooks see the operand: a loop index i adds
// i * scale to the index in dimension `dim`. The offset is added once.
struct IndexTerm {
  int dim = -1;  // none
  int64_t scale = 1;
  int64_t offset = 0;
};

// A dimension of the output. Strides are in elements.
struct OutDim {
  int64_t size = 1;
  int64_t a = 0, b = 0, c = 0;
  IndexTerm a_index, b_index, c_index;
  int64_t zero = 0;  // stride in the table of zero products
  int polyphase =
      -1;  // index in Contraction::polyphases if this dimension is the phase, else -1
};

// A spatial dimension of a convolution whose input is dilated. Output o and tap k (index
// k of the filter) meet at position o * stride + k * step - low. That position is element
// i of lhs if it is i * dilation; otherwise it is a zero that the dilation inserts.
// Outputs o = phase + count * j of one phase meet elements only with every `tap_step`-th
// tap, starting from a tap that depends on the phase. Each phase is therefore a
// convolution of an input that is not dilated.
struct Polyphase {
  int64_t stride = 1, step = 1, low = 0, dilation = 1;
  int64_t window = 1, output = 1;
  int64_t count = 1;     // number of phases: dilation / gcd(stride, dilation)
  int64_t tap_step = 1;  // dilation / gcd(step, dilation)
  int64_t inverse = 0;   // inverse of step / gcd(step, dilation), modulo tap_step
  // Index of element 0 in the lhs that is read: the padding of its copy.
  int64_t origin = 0;
  int64_t size = 0;    // elements that are read, from index 0
  int64_t lhs = 0;     // stride of the lhs that is read
  int output_dim = 0;  // as hooks see the output

  // The first tap of a phase that meets an element; `window` or more if no tap does.
  int64_t FirstTap(int64_t phase) const;
  // Outputs of the longest phase; later phases may have one less.
  int64_t outputs() const { return (output + count - 1) / count; }
  // How far one step to the phase's next output moves lhs, in elements.
  int64_t output_step() const { return stride * count / dilation; }
  // Whether later phases have one output less.
  bool uneven() const { return output % count != 0; }
  // The number of residue classes of taps modulo tap_step. The taps of a phase are one
  // residue class.
  int64_t residues() const { return std::min(tap_step, window); }
};
Polyphase MakePolyphase(int64_t stride, int64_t step, int64_t low, int64_t dilation,
                        int64_t window, int64_t output);

// A dimension of a that a k dimension shares with an output dimension, where windows
// reach past its ends. K index s and output index o meet element o * stride + s * step -
// low of a. Only elements 0 .. limit - 1 exist; products with other elements are left
// out.
struct Window {
  int64_t stride = 1, step = 1, low = 0, limit = 0;
  int outer = -1;  // index in Contraction::outer; -1: the row dimension
};

// A contracted dimension. Strides are in elements.
struct KDim {
  int64_t size = 1;
  int64_t a = 0, b = 0;
  IndexTerm a_index, b_index;
  std::optional<Window> window = std::nullopt;  // none: all elements exist
  // Index in Contraction::polyphases of the entry that selects among these taps, or -1.
  // If set, the stride of lhs is 0 here, because Polyphase says how taps move lhs.
  int polyphase = -1;
};

// The dimensions are, from the outside: those in which b moves (`batch`), those in which
// b stays (`outer`), the one that register tiles divide (`row`), and the one of vector
// lanes (`lane`). In `lane`, the stride of a is 0 (each element of a is multiplied with a
// vector of b) or 1 (both operands are vectors: depthwise).
struct Contraction {
  llvm::SmallVector<OutDim, 4> batch, outer;
  OutDim row, lane;
  llvm::SmallVector<KDim, 4> k_dims;  // outermost first; never empty
  int64_t a_base = 0, b_base = 0, c_base = 0;
  ElementType a_type, b_type, out_type, accumulate;
  bool a_is_lhs = true;                    // a uses the pointer and the hook of lhs
  int a_rank = 3, b_rank = 3, c_rank = 3;  // numbers of dimensions that hooks see
  bool a_hook = false, b_hook = false, store_hook = false;
  bool one_thread = false;  // one thread runs all chunks
  int64_t a_elements = 0;   // of a convolution's input, if that is a; 0: not known
  // Windows overlap in this operand, so packing would copy elements several times.
  bool a_in_place = false, b_in_place = false;
  // If both operands are vectors: lanes form groups of `group`, and k also runs over the
  // elements of a's group. Element j of a group is multiplied with the elements of b at
  // offset j * group_b.
  int group = 1;
  int64_t group_b = 0;
  llvm::SmallVector<Polyphase, 3> polyphases;
  // If not empty, `row` is these dimensions merged into one. Only their sizes and c_index
  // are used.
  llvm::SmallVector<OutDim, 4> row_digits;
};

// The copy of a convolution's lhs in scratch, with conversion, padding and dilation
// applied.
struct InputCopy {
  struct Dim {
    int64_t size = 1;    // in the copy
    int64_t source = 0;  // stride in the source
    int64_t dest = 0;    // stride in the copy
    int64_t padding_low = 0, dilation = 1;
    int64_t limit = 1;   // size in the source
    int source_dim = 0;  // as hooks see the source
    bool padded() const { return dilation != 1 || padding_low != 0 || size > limit; }
  };
  llvm::SmallVector<Dim, 6> dims;  // outermost first
  ElementType from, to;
  bool hook = false;
  int64_t elements = 0;
};

enum class OperandStorage {
  kDirect,  // read in place
  kCopy,    // converted into scratch, dimensions in the same order
  // Micro-panels in scratch. b: [batch][column tile][k][lane]. a: [batch][outer][row
  // tile][k][row]; for a matrix unit [batch][outer][row tile][row][k].
  kMicroPanels,
};

enum class StageKind { kInputCopy, kPackA, kPackB, kZeroProducts, kCompute, kReduce };
struct Stage {
  StageKind kind;
  int64_t items = 1;  // EmitStage is called once for each item
  int64_t group = 1;  // items of a chunk
  int64_t chunks() const { return (items + group - 1) / group; }
};

struct TilePlan {
  Contraction source;   // as given
  Contraction problem;  // with the operands' strides where the compute stage reads them
  TargetTraits target;

  // The type of operands in scratch and in registers.
  ElementType operand_type;
  // Products of k-groups: `k_group_size` consecutive elements of the innermost k
  // dimension are one kU32 of `source` and `problem`. `elements` is the contraction of
  // the elements. An operand whose elements are not consecutive along that dimension in
  // memory is packed into k-groups.
  KGroupProduct k_group_product;
  int k_group_size = 1;
  Contraction elements;
  bool pack_k_groups_a = false, pack_k_groups_b = false;
  // The matrix unit's instruction that multiplies tiles, `matrix_step` k-groups of the
  // innermost k dimension at a time. Null: vector instructions multiply.
  MatrixUnit::Multiply multiply_matrices = nullptr;
  bool on_matrix_unit = false;
  int matrix_step = 1;

  // Register tile: `rows` x `vectors` x lanes. The row dimension has `row_tiles` tiles:
  // the first `full_row_tiles` of `rows` rows, the others of `short_rows`.
  int lanes = 1;
  int vectors = 1;
  int rows = 1;
  int short_rows = 0;
  int64_t row_tiles = 1, full_row_tiles = 1;
  int unroll = 1;  // independent sets of accumulators in the innermost k loop
  // If both operands are vectors: one step covers the whole innermost k dimension, the
  // taps along a row. An element of a that several taps use is loaded once.
  bool taps = false;

  // Column tiles of `vectors` * `lanes` columns each; the last one may be partial.
  int64_t column_tiles = 1;

  OperandStorage a_storage = OperandStorage::kDirect, b_storage = OperandStorage::kDirect;
  bool private_b = false;  // each compute chunk packs the micro-panels of b that it uses
  // With private_b: one micro-panel at a time, into the same part of scratch.
  bool micro_panel_at_a_time = false;
  // With private_b: all micro-panels of the chunk, one k block at a time.
  bool pack_blocks = false;
  // An item that packs a covers this many k indices of all row tiles; 0: all k indices of
  // one row tile.
  int64_t pack_a_k_count = 0;
  int64_t a_offset = 0, b_offset = 0;  // bytes in scratch
  // Strides of a's copy, for the source's k dimensions.
  llvm::SmallVector<int64_t, 4> copy_k_strides;
  int64_t a_micro_panel_elements = 0;  // elements of a micro-panel of a

  // With phases, and sums of floats: a table in scratch, [residue class][output feature].
  // It holds the sums of the products with the zeros that the dilation inserts: 0, or NaN
  // if one of the taps is not finite. Rows number the residue classes of all polyphases
  // (Polyphase::residues) in mixed radix; the last row is for phases without taps.
  bool zero_products = false;
  // Bytes in scratch: the table, then work space of the same size.
  int64_t zero_offset = 0;
  int64_t zero_row = 0;  // elements of a row

  // Split-k: the outermost k dimension is cut into `k_slices` slices, which run in
  // parallel and keep partial sums in scratch. Each slice is cut into blocks of
  // `k_block`.
  int64_t k_slices = 1, slice_size = 1, k_block = 1;
  // The loop over column tiles is outside the loop over k blocks. The chunk keeps the
  // sums of all its row tiles in its own memory, and a block of a micro-panel of b stays
  // in the first-level cache.
  bool column_tile_outer = false;
  // Slices are sized for the cache: a slice is not split into many chunks.
  bool whole_slices = false;
  int64_t partial_offset =
      0;  // scratch: [slice][row][padded lane] of the accumulate type

  bool streaming = false;   // b is large and read once: prefetch ahead in its rows
  bool prefetch_a = false;  // a is large and read once: prefetch the next row tile

  // A compute chunk: this many batch indices, column tiles and row tiles.
  int64_t chunk_batches = 1, chunk_column_tiles = 1, chunk_row_tiles = 1;
  bool rows_outer = false;  // chunks of the same rows follow each other

  // Few rows, and a and b contiguous along the only k dimension. Vectors run along that
  // dimension, and a tile has `rows` x `vectors` results. Column tiles have `vectors`
  // columns.
  bool dot = false;
  // Prefetch distance in bytes for b, which is read once from memory.
  int64_t dot_ahead = 0;

  std::shared_ptr<const InputCopy> input_copy;  // at the start of the scratch; or null

  // Phases, each a list of stages whose chunks are numbered consecutively. In a merged
  // phase one chunk runs all stages.
  struct Phase {
    std::vector<Stage> stages;
    bool merged = false;
  };
  std::vector<Phase> phases;
};

// Bytes of one part of an element in micro-panels and accumulators, which keep the real
// and imaginary parts of complex values apart.
int64_t PartBytes(ElementType type);
int NumParts(ElementType type);

// Numbers derived from a contraction.
int64_t BatchCount(const Contraction& problem);
int64_t OuterCount(const Contraction& problem);
int64_t KCount(const Contraction& problem);
// The number of residue classes of taps, over all polyphases.
int64_t ResidueCount(const Contraction& problem);

// The most rows of a register tile of `vectors` vectors of real numbers, whose sums stay
// in registers.
int MaxTileRows(int registers, int vectors);

// Whether products with zero can change a sum. Those of integers and predicates cannot.
bool HasZeroProducts(ElementType accumulate);

// The number of steps that cover `distance`; 0 if it is negative.
int64_t StepsToCover(int64_t distance, int64_t step);

// The k dimension whose windows reach past the ends of the row dimension, or null.
const KDim* RowWindow(const Contraction& problem);

// Whether the first and the last row tile contain all rows whose windows reach past the
// ends. Other plans cannot be emitted.
bool EndTilesHoldBorderRows(const TilePlan& plan);

// Rewrites plan.source as the same contraction over k-groups, if the target multiplies
// k-groups and that is faster. `lanes` is the number of lanes of the accumulate type.
// Returns false if nothing changed.
bool ChooseKGroups(TilePlan& plan, int lanes);

// Sets the target's instructions for k-groups in a plan that uses k-groups.
void BindKGroupInstructions(TilePlan& plan);

// The number of k-groups that a matrix unit multiplies in one step, at most `max_step`;
// it divides the number of k-groups along k.
int MatrixStep(int64_t k_groups, int max_step);

// The number of elements of these operand types in a k-group; 1 if there is no
// instruction for k-groups.
int KGroupSize(ElementType a, ElementType b, ElementType accumulate,
               const TargetTraits& target);

// How the micro-panels of b are made of operand b as given. Equal for plans whose packed
// forms of the same operand are equal.
std::string PackedLayout(const TilePlan& plan);

// Chooses tiles, packing, blocks and chunks. An input copy runs first, and then the
// problem's strides of lhs are those of the copy.
KernelPlan PlanTiles(const Contraction& problem, const TargetTraits& target,
                     std::shared_ptr<const InputCopy> input_copy = nullptr);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_TILE_PLAN_H_
