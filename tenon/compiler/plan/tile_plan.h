// The common form of products and convolutions inside this folder: one affine
// contraction, out[i...] = sum over k... of a[i..., k...] * b[i..., k...], with operand b
// read in vectors along one dimension, and the plan of its loops. Plain values; any
// thread.
#ifndef TENON_COMPILER_PLAN_TILE_PLAN_H_
#define TENON_COMPILER_PLAN_TILE_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::codegen {

// What a loop index adds to the index of one dimension of an operand as hooks see it.
struct SiteTerm {
  int dim = -1;  // none
  int64_t scale = 1;
  int64_t offset = 0;
};

// A dimension of the output. Strides in elements.
struct OutDim {
  int64_t size = 1;
  int64_t a = 0, b = 0, c = 0;
  SiteTerm a_site, b_site, c_site;
  int64_t zero = 0;  // stride in the table of zero products
  int polyphase =
      -1;  // index in Contraction::polyphases: this is the phase; -1: it is none
};

// A spatial dimension of a convolution whose input is dilated. Output o and tap k meet at
// position o * stride + k * step - low; that is element i of lhs where it is
// i * dilation, else a hole. Output o = phase + count * j meets elements with every
// `tap_step`-th tap only, from one on that the phase determines: each phase is a
// convolution without holes.
struct Polyphase {
  int64_t stride = 1, step = 1, low = 0, dilation = 1;
  int64_t window = 1, output = 1;
  int64_t count = 1;     // phases: dilation / gcd(stride, dilation)
  int64_t tap_step = 1;  // dilation / gcd(step, dilation)
  int64_t inverse = 0;   // of step / gcd(step, dilation), modulo tap_step
  int64_t origin = 0;    // index of element 0 where lhs is read: padding of its copy
  int64_t size = 0;      // elements that are read, from index 0 on
  int64_t lhs = 0;       // stride of lhs where it is read
  int site = 0;          // dimension of the output as hooks see it

  // The first tap of a phase that meets an element; `window` or more: none does.
  int64_t FirstTap(int64_t phase) const;
  // Outputs of the longest phase; the later phases may have one less.
  int64_t outputs() const { return (output + count - 1) / count; }
  // What the phase and the output within it move lhs by.
  int64_t output_step() const { return stride * count / dilation; }
  // Do later phases have one output less?
  bool uneven() const { return output % count != 0; }
  // Tap classes: taps that some phase has in common.
  int64_t classes() const { return std::min(tap_step, window); }
};
Polyphase MakePolyphase(int64_t stride, int64_t step, int64_t low, int64_t dilation,
                        int64_t window, int64_t output);

// A dimension of a that a sum dimension shares with one of the output, when the windows
// reach past its ends: the sum index s and the output's o meet its element
// o * stride + s * step - low, and only those in 0 .. limit - 1 exist. Products with
// others are left out.
struct Window {
  int64_t stride = 1, step = 1, low = 0, limit = 0;
  int outer = -1;  // index in Contraction::outer; -1: the row dimension
};

struct SumDim {
  int64_t size = 1;
  int64_t a = 0, b = 0;
  SiteTerm a_site, b_site;
  std::optional<Window> window = std::nullopt;  // none: all elements exist
  // Index in Contraction::polyphases of what selects among these taps; -1: nothing does.
  // The stride of lhs is then 0 here: Polyphase says how taps move it.
  int polyphase = -1;
};

// Dimensions in which b moves (`batch`), then those in which it stays (`outer`), then the
// one tiled in registers (`row`), then the one of vector lanes (`lane`). In lane, a is 0
// (each element of a meets a vector of b) or 1 (vectors of both: depthwise).
struct Contraction {
  llvm::SmallVector<OutDim, 4> batch, outer;
  OutDim row, lane;
  llvm::SmallVector<SumDim, 4> sum;  // outermost first; never empty
  int64_t a_base = 0, b_base = 0, c_base = 0;
  ElementType a_type, b_type, out_type, accumulate;
  bool a_is_lhs = true;                    // which pointer and hook is a
  int a_rank = 3, b_rank = 3, c_rank = 3;  // dimensions that hooks see
  bool a_hook = false, b_hook = false, store_hook = false;
  bool one_thread = false;  // works on all of it
  int64_t a_elements = 0;   // of a convolution's input, if that is a; 0: not known
  // Windows overlap in this operand: packing would multiply it.
  bool a_in_place = false, b_in_place = false;
  // With vectors of both operands: lanes come in groups of `group`, and the sums also run
  // over the elements of a's group: element j meets those of b that lie j * group_b on.
  int group = 1;
  int64_t group_b = 0;
  llvm::SmallVector<Polyphase, 3> polyphases;
  // If not empty, `row` is these dimensions in one (only their sizes and c_site count).
  llvm::SmallVector<OutDim, 4> row_digits;
};

// lhs of a convolution copied into scratch: converted, with its padding and dilation made
// real.
struct InputCopy {
  struct Dim {
    int64_t size = 1;    // in the copy
    int64_t source = 0;  // stride in the source
    int64_t dest = 0;    // stride in the copy
    int64_t padding_low = 0, dilation = 1;
    int64_t limit = 1;  // size in the source
    int site = 0;
    bool padded() const { return dilation != 1 || padding_low != 0 || size > limit; }
  };
  llvm::SmallVector<Dim, 6> dims;  // outermost first
  ElementType from, to;
  bool hook = false;
  int64_t elements = 0;
};

enum class Storage {
  kDirect,  // as given
  kCopy,    // converted into scratch, dimensions in the same order
  kPanels,  // scratch: [batch][panel][sum][lanes of the panel] (a:
            // [batch][outer][strip][sum][row]; for a matrix unit
            // [batch][outer][strip][row][sum])
};

enum class StageKind { kInputCopy, kPackA, kPackB, kZeroProducts, kCompute, kReduce };
struct Stage {
  StageKind kind;
  int64_t items = 1;  // what EmitStage is called for, one by one
  int64_t group = 1;  // items of a chunk
  int64_t chunks() const { return (items + group - 1) / group; }
};

struct TilePlan {
  Contraction source;   // as given
  Contraction problem;  // with the strides of operands where the compute stage finds them
  TargetTraits target;

  // The type of operands in scratch and in the register tile.
  ElementType operand_type;
  // Sums in words: `word_elements` consecutive elements of the innermost sum dimension
  // are one kU32 of `source` and `problem`, and `elements` is the contraction as given.
  // Operands that are not words in memory are packed so.
  WordProduct word;
  int word_elements = 1;
  Contraction elements;
  bool pack_words_a = false, pack_words_b = false;
  // Tiles are multiplied by the target's matrix unit, `matrix_step` words of the
  // innermost sum dimension at a time. Null: by vectors.
  MatrixUnit::Multiply multiply_matrices = nullptr;
  bool on_matrix_unit = false;
  int matrix_step = 1;

  // Register tile: `rows` x `vectors` x lanes. The row dimension is cut into `strips`,
  // the first `full_strips` of `rows` rows, the others of `short_rows`.
  int lanes = 1;
  int vectors = 1;
  int rows = 1;
  int short_rows = 0;
  int64_t strips = 1, full_strips = 1;
  int unroll = 1;  // independent accumulator sets in the innermost sum loop
  // With vectors of both operands: all of the innermost sum dimension, the taps along a
  // row, is one step, in which an element of a that several taps meet is loaded once.
  bool taps = false;

  // Lanes: `panels` of vectors * lanes columns, the last one possibly partial.
  int64_t panels = 1;

  Storage a_storage = Storage::kDirect, b_storage = Storage::kDirect;
  bool private_b = false;  // each compute chunk packs the panels it uses
  // ... one at a time, into the same piece of scratch.
  bool panel_at_a_time = false;
  // ... all of them, but only the sums of a block at a time.
  bool pack_blocks = false;
  // Items of packing a are this many sums of all strips; 0: single strips.
  int64_t pack_a_sums = 0;
  int64_t a_offset = 0, b_offset = 0;              // bytes in scratch
  llvm::SmallVector<int64_t, 4> copy_sum_strides;  // of a's copy, for the source's sums
  int64_t strip_a = 0;  // elements of a per strip when it is in panels

  // With phases and sums of floats: a table in scratch, [class][output feature], of what
  // the taps that meet holes in a phase add to its sums: 0, or NaN where one of them is
  // not finite. Classes are those of Polyphase in mixed radix; the last row is for phases
  // that have no taps.
  bool zero_products = false;
  int64_t zero_offset = 0;  // bytes in scratch: the table, then as much work space
  int64_t zero_row = 0;     // elements of a row

  // The outermost sum dimension is cut into `sum_slices` (parallel, partial sums kept in
  // scratch) and each slice into blocks of `sum_block`.
  int64_t sum_slices = 1, slice_size = 1, sum_block = 1;
  // The blocks of one panel follow each other, for all strips of a chunk, whose sums are
  // meanwhile in the chunk's own memory: a block of a panel stays next to the processor.
  bool panel_blocks = false;
  bool whole_slices = false;  // for the cache: a slice is not shared out in many chunks
  int64_t partial_offset =
      0;  // scratch: [slice][row][padded lane] of the accumulate type

  bool streaming = false;   // b is large and read once: prefetch the next panel
  bool prefetch_a = false;  // the same of a: prefetch the next strip

  // A compute chunk: this many batch indices, panels and row strips.
  int64_t chunk_batches = 1, chunk_panels = 1, chunk_strips = 1;
  bool rows_outer = false;  // chunks of the same rows follow each other

  // Few rows, and a and b contiguous along the (only) sum dimension: vectors run along
  // that, and a tile is `rows` x `vectors` results. Panels are of `vectors` columns.
  bool dot = false;
  int64_t dot_ahead = 0;  // bytes by which b, read once from memory, is fetched ahead

  std::shared_ptr<const InputCopy> input_copy;  // at the start of the scratch; or null

  // Phases, each a list of stages whose chunks are numbered one after the other; in a
  // merged phase one chunk does everything.
  struct Phase {
    std::vector<Stage> stages;
    bool merged = false;
  };
  std::vector<Phase> phases;
};

// Of one part of an element in packed panels and accumulators, where the parts of complex
// values lie apart.
int64_t PartBytes(ElementType type);
int NumParts(ElementType type);

// Numbers derived from a plan.
int64_t BatchCount(const Contraction& problem);
int64_t OuterCount(const Contraction& problem);
int64_t SumCount(const Contraction& problem);
int64_t ClassCount(const Contraction& problem);  // of taps, in all phases together

// Do products with zero matter? Those of integers and predicates do not.
bool HasZeroProducts(ElementType accumulate);

// How many steps cover `distance`; none if that is negative.
int64_t StepsOver(int64_t distance, int64_t step);

// The sum dimension whose windows reach past the ends of the row dimension, or null.
const SumDim* RowWindow(const Contraction& problem);

// Do the first and the last strip hold all rows with windows that reach past the ends?
// Such a plan cannot be emitted otherwise.
bool BordersFit(const TilePlan& plan);

// Makes plan.source the same contraction in words where the target multiplies those and
// that is worth it. `lanes`: those of the accumulate type. False: nothing was changed.
bool ChooseWords(TilePlan& plan, int lanes);

// Gives `plan`, which has chosen words, the instructions of its target for them.
void BindWords(TilePlan& plan);

// Words that a matrix unit multiplies at a time of a sum of so many: they divide it.
int MatrixStep(int64_t words, int most);

// How many elements of these operand types are multiplied as one word; 1: there is no
// such instruction.
int WordElements(ElementType a, ElementType b, ElementType accumulate,
                 const TargetTraits& target);

// Chooses tiles, packing, blocking and chunks. With an input copy, that comes first, and
// the problem's strides of lhs are those of the copy.
KernelPlan PlanTiles(const Contraction& problem, const TargetTraits& target,
                     std::shared_ptr<const InputCopy> input_copy = nullptr);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_TILE_PLAN_H_
