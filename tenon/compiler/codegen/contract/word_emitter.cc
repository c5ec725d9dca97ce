// Sums in words: which products are done so, and the packing of operands into words.
#include <algorithm>
#include <cstdlib>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

constexpr int kWordBytes = 4;

// How the unit multiplies words of this type; null: it does not.
MatrixUnit::Multiply MultiplyOf(ElementType type, ElementType accumulate,
                                const MatrixUnit& unit) {
  bool s32 = accumulate == ElementType::kS32;
  if (type == ElementType::kBF16 && accumulate == ElementType::kF32)
    return unit.bf16_pairs;
  if (type == ElementType::kS8 && s32) return unit.s8_quads;
  if (type == ElementType::kU8 && (s32 || accumulate == ElementType::kU32))
    return unit.u8_quads;
  return nullptr;
}

// Does the operand consist of whole words of consecutive sum indices?
bool IsInWords(const Contraction& problem, bool is_a, int elements) {
  const SumDim& inner = problem.sum.back();
  if (is_a ? problem.a_hook : problem.b_hook) return false;
  if ((is_a ? inner.a : inner.b) != 1 || inner.size % elements != 0) return false;
  auto whole = [&](const auto& dim) { return (is_a ? dim.a : dim.b) % elements == 0; };
  return (is_a ? problem.a_base : problem.b_base) % elements == 0 &&
         (is_a != problem.a_is_lhs ||
          std::ranges::all_of(
              problem.polyphases,
              [&](const Polyphase& phases) { return phases.lhs % elements == 0; })) &&
         std::ranges::all_of(problem.batch, whole) &&
         std::ranges::all_of(problem.outer, whole) && whole(problem.row) &&
         whole(problem.lane) &&
         std::all_of(problem.sum.begin(), problem.sum.end() - 1, whole);
}

// The operand's strides in words.
void ViewAsWords(Contraction& problem, bool is_a, int elements) {
  auto view = [&](auto& dim) { (is_a ? dim.a : dim.b) /= elements; };
  for (OutDim& dim : problem.batch) view(dim);
  for (OutDim& dim : problem.outer) view(dim);
  view(problem.row);
  view(problem.lane);
  for (SumDim& dim : problem.sum)
    if (&dim != &problem.sum.back()) view(dim);
  if (is_a == problem.a_is_lhs)
    for (Polyphase& phases : problem.polyphases) phases.lhs /= elements;
  (is_a ? problem.a_base : problem.b_base) /= elements;
  (is_a ? problem.a_type : problem.b_type) = ElementType::kU32;
}

}  // namespace

int WordElements(ElementType a, ElementType b, ElementType accumulate,
                 const TargetTraits& target) {
  if (a != b) return 1;
  bool vectors =
      (a == ElementType::kBF16 && accumulate == ElementType::kF32 &&
       target.bf16_pairs.emit) ||
      (a == ElementType::kS8 && accumulate == ElementType::kS32 && target.s8_quads.emit);
  if (!vectors && !MultiplyOf(a, accumulate, target.matrix_unit)) return 1;
  return kWordBytes / static_cast<int>(ElementBytes(a));
}

bool ChooseWords(TilePlan& plan, int lanes) {
  // Packing b takes as long as this many rows of the product do.
  constexpr int64_t kFewestRows = 24, kFewestMatrixRows = 8;
  Contraction problem = plan.source;
  int elements =
      WordElements(problem.a_type, problem.b_type, problem.accumulate, plan.target);
  if (elements == 1 || problem.lane.a != 0 || problem.b_in_place) return false;
  const MatrixUnit& unit = plan.target.matrix_unit;
  MatrixUnit::Multiply multiply = MultiplyOf(problem.a_type, problem.accumulate, unit);
  WordProduct word;
  if (multiply) {
    word.lanes = unit.words;
    word.rate = unit.rate;
  } else {
    word = elements == 2 ? plan.target.bf16_pairs : plan.target.s8_quads;
  }
  int64_t rows = OuterCount(problem) * problem.row.size;
  if (word.lanes != lanes || rows < (multiply ? kFewestMatrixRows : kFewestRows))
    return false;
  std::ranges::stable_partition(problem.sum,
                                [](const SumDim& dim) { return dim.size == 1; });
  SumDim& inner = problem.sum.back();
  if (inner.polyphase >= 0 || inner.size < elements ||
      double(rows) * problem.lane.size * inner.size < 4096)
    return false;
  // Sums that no good step of the matrix unit divides are filled up with zeros.
  int64_t words = CeilDiv(inner.size, elements);
  bool padded =
      multiply && words > unit.words && MatrixStep(words, unit.words) < unit.words / 2;
  if (padded) words = AlignUp(words, unit.words);
  plan.pack_words_a = padded || !IsInWords(problem, true, elements);
  plan.pack_words_b = padded || !IsInWords(problem, false, elements);
  if (plan.pack_words_a && problem.a_in_place) {
    plan.pack_words_a = plan.pack_words_b = false;
    return false;
  }
  plan.elements = problem;
  if (!plan.pack_words_a) ViewAsWords(problem, true, elements);
  if (!plan.pack_words_b) ViewAsWords(problem, false, elements);
  inner.size = words;
  plan.multiply_matrices = multiply;
  plan.source = problem;
  plan.operand_type = ElementType::kU32;
  plan.word = word;
  plan.word_elements = elements;
  return true;
}

ElementValue ContractionEmitter::OffsetWords(bool is_a, ElementValue value) {
  constexpr uint32_t kSignBits = 0x80808080;
  if (is_a && plan_.word.unsigned_x)
    value.re =
        b_.CreateXor(value.re, llvm::ConstantInt::get(value.re->getType(), kSignBits));
  return value;
}

// The bits of elements, as integers.
llvm::Value* ContractionEmitter::ElementBits(const ElementValue& value) {
  llvm::Value* stored = compiler::ValueToStored(b_, value.type, value.re);
  llvm::Type* type = stored->getType();
  return b_.CreateBitCast(
      stored, type->getWithNewType(b_.getIntNTy(type->getScalarSizeInBits())));
}

void ContractionEmitter::StoreWords(bool is_a, llvm::Value* words, llvm::Value* to,
                                    int lanes, int64_t stride, llvm::Value* mask) {
  ElementValue value{ElementType::kU32, words};
  StoreElements(b_, OffsetWords(is_a, value), to, lanes, stride, mask);
}

// Word `word`, of `count` elements, of lanes from `first` on.
StatusOr<llvm::Value*> ContractionEmitter::LoadWords(bool is_a, const Position& first,
                                                     llvm::Value* word, int count,
                                                     int lanes, llvm::Value* mask) {
  const Contraction& from = plan_.elements;
  const OutDim& lane = is_a ? from.row : from.lane;
  const SiteTerm& lane_site = is_a ? lane.a_site : lane.b_site;
  llvm::Type* type = b_.getInt32Ty();
  if (lanes > 1) type = llvm::FixedVectorType::get(type, lanes);
  llvm::Value* words = llvm::Constant::getNullValue(type);
  for (int j = 0; j < count; ++j) {
    Position at = first;
    Advance(at, from.sum.back(), AddI(b_, MulI(b_, word, plan_.word_elements), j));
    TENON_ASSIGN_OR_RETURN(
        ElementValue value,
        LoadAsGiven(from, is_a, at, lane_site.dim, lanes, is_a ? lane.a : lane.b, mask));
    llvm::Value* part = ElementBits(value);
    int size = part->getType()->getScalarSizeInBits();
    part = b_.CreateZExt(part, type);
    part = b_.CreateShl(part, llvm::ConstantInt::get(type, j * size));
    words = b_.CreateOr(words, part);
  }
  return words;
}

// All words of one lane, `stride` words apart.
Status ContractionEmitter::EmitWordsAlongSum(bool is_a, const Position& column,
                                             llvm::Value* to, int64_t stride) {
  const SumDim& inner = plan_.elements.sum.back();
  const SiteTerm& sum_site = is_a ? inner.a_site : inner.b_site;
  int lanes = plan_.lanes, group = plan_.word_elements;
  int64_t words = source_.sum.back().size;
  return EmitLoop(b_, I64(0), I64(words), lanes, [&](llvm::Value* w) -> Status {
    Position at = column;
    llvm::Value* k = MulI(b_, w, group);
    Advance(at, inner, k);
    llvm::Value* mask = nullptr;
    if (inner.size % (lanes * group) != 0)
      mask = LaneMask(b_, b_.CreateSub(I64(inner.size), k), lanes * group);
    TENON_ASSIGN_OR_RETURN(ElementValue value,
                           LoadAsGiven(plan_.elements, is_a, at, sum_site.dim,
                                       lanes * group, is_a ? inner.a : inner.b, mask));
    value = ZeroOutside(b_, value, mask, lanes * group);
    llvm::Value* word = b_.CreateBitCast(
        ElementBits(value), llvm::FixedVectorType::get(b_.getInt32Ty(), lanes));
    llvm::Value* store_mask =
        words % lanes == 0 ? nullptr : LaneMask(b_, b_.CreateSub(I64(words), w), lanes);
    StoreWords(is_a, word, OffsetPointer(b_, to, w, stride * kWordBytes), lanes, stride,
               store_mask);
    return OkStatus();
  });
}

// Word `word`, of `count` elements, of lanes from `column` on, `remaining` of which
// exist.
Status ContractionEmitter::EmitWordRow(bool is_a, const Position& column,
                                       llvm::Value* word, int count,
                                       llvm::Value* remaining, int width,
                                       llvm::Value* to) {
  const Contraction& from = plan_.elements;
  const OutDim& lane = is_a ? from.row : from.lane;
  int64_t lane_stride = is_a ? lane.a : lane.b;
  // Lanes next to each other.
  auto word_lanes = [&](const Position& first, int lanes, llvm::Value* mask,
                        llvm::Value* dest) -> Status {
    TENON_ASSIGN_OR_RETURN(llvm::Value * words,
                           LoadWords(is_a, first, word, count, lanes, mask));
    StoreWords(is_a, words, dest, lanes, 1, mask);
    return OkStatus();
  };
  if (lane_stride != 1 && !(is_a ? from.a_hook : from.b_hook)) {
    return EmitLoop(b_, I64(0), remaining, 1, [&](llvm::Value* l) {
      Position at = column;
      Advance(at, lane, l);
      return word_lanes(at, 1, nullptr, OffsetPointer(b_, to, l, kWordBytes));
    });
  }
  bool partial = is_a || lane.size % width != 0;
  for (int v = 0; v < width; v += plan_.lanes) {
    Position at = column;
    Advance(at, lane, I64(v));
    llvm::Value* mask =
        partial ? LaneMask(b_, AddI(b_, remaining, -v), plan_.lanes) : nullptr;
    TENON_RETURN_IF_ERROR(
        word_lanes(at, plan_.lanes, mask, OffsetPointer(b_, to, v, kWordBytes)));
  }
  return OkStatus();
}

Status ContractionEmitter::EmitPackWords(bool is_a, Position position, llvm::Value* first,
                                         int width, llvm::Value* dest) {
  const Contraction& from = plan_.elements;
  const OutDim& lane = is_a ? from.row : from.lane;
  const SumDim& inner = from.sum.back();
  int group = plan_.word_elements;
  int64_t words = source_.sum.back().size;
  int64_t row_bytes = int64_t{width} * kWordBytes;
  TENON_ASSIGN_OR_RETURN(bool along_sum, PacksAlongSum(from, is_a));
  Position at_lane = position;
  Advance(at_lane, lane, first);
  llvm::Value* remaining = MinI(b_, b_.CreateSub(I64(lane.size), first), I64(width));
  llvm::SmallVector<SumDim, 4> outer(from.sum.begin(), from.sum.end() - 1);
  int64_t count = 1;
  for (const SumDim& dim : outer) count *= dim.size;
  return EmitLoop(b_, I64(0), I64(count), 1, [&](llvm::Value* index) -> Status {
    Position here = at_lane;
    AdvanceAll(here, llvm::ArrayRef<SumDim>(outer), index);
    llvm::Value* rows = OffsetPointer(b_, dest, index, row_bytes * words);
    if (along_sum) {
      return EmitLoop(b_, I64(0), remaining, 1, [&](llvm::Value* l) {
        Position column = here;
        Advance(column, lane, l);
        return EmitWordsAlongSum(is_a, column, OffsetPointer(b_, rows, l, kWordBytes),
                                 width);
      });
    }
    int64_t whole = inner.size / group;
    TENON_RETURN_IF_ERROR(EmitLoop(b_, I64(0), I64(whole), 1, [&](llvm::Value* w) {
      return EmitWordRow(is_a, here, w, group, remaining, width,
                         OffsetPointer(b_, rows, w, row_bytes));
    }));
    // The word that is filled up, and those that are nothing else.
    for (int64_t word = whole; word < words; ++word)
      TENON_RETURN_IF_ERROR(
          EmitWordRow(is_a, here, I64(word),
                      static_cast<int>(std::max<int64_t>(inner.size - word * group, 0)),
                      remaining, width, OffsetPointer(b_, rows, word, row_bytes)));
    return OkStatus();
  });
}

}  // namespace tenon::codegen
