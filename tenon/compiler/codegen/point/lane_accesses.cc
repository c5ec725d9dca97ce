#include "tenon/compiler/codegen/point/lane_accesses.h"

#include <numeric>

#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"

namespace tenon::codegen {
namespace {

// Elements with a stride of up to kMaxShuffledStride are loaded as whole vectors and
// shuffled. Narrower elements than kMinShuffledBytes are shuffled within 128 bits: many
// processors have no shuffle of two registers for them.
constexpr int64_t kMaxShuffledStride = 8, kMinShuffledBytes = 4;
constexpr int64_t kSectionBytes = 16;

// Whether `mask`, a vector, leaves a lane out whatever is known only at run time.
bool IsKnownOff(llvm::Value* mask, int lane) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask)) {
    llvm::Constant* on = constant->getAggregateElement(static_cast<unsigned>(lane));
    return on && on->isNullValue();
  }
  auto* op = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  return op && op->getOpcode() == llvm::Instruction::And &&
         (IsKnownOff(op->getOperand(0), lane) || IsKnownOff(op->getOperand(1), lane));
}

// A run of elements, of which lanes want some.
struct ElementRun {
  int64_t low, high;
};

// The runs of `positions`. Two elements at a distance of `gap` or more are in two runs.
llvm::SmallVector<ElementRun> FindRuns(llvm::SmallVector<int64_t> positions,
                                       int64_t gap) {
  llvm::sort(positions);
  llvm::SmallVector<ElementRun> runs;
  for (int64_t position : positions) {
    if (runs.empty() || position - runs.back().high >= gap)
      runs.push_back({position, position});
    runs.back().high = position;
  }
  return runs;
}

// The starts, in elements, of vectors of `size` elements that together cover [low, high]
// and no element outside.
struct VectorCover {
  int64_t size;
  llvm::SmallVector<int64_t, 4> starts;
};

VectorCover CoverRange(int64_t low, int64_t high, int64_t width) {
  int64_t count = high - low + 1;
  VectorCover cover{std::min(width, int64_t(llvm::bit_floor(uint64_t(count)))), {}};
  for (int64_t start = low; start + cover.size <= high; start += cover.size)
    cover.starts.push_back(start);
  cover.starts.push_back(high - cover.size + 1);
  return cover;
}

class LaneLoads {
 public:
  LaneLoads(PointValues& values, const LaneAccess& access)
      : values_(values),
        b_(values.builder()),
        access_(access),
        offset_(access.offset),
        lanes_(access.offset.varying() ? llvm::SmallVector<int64_t, 0>()
                                       : values.Indices().LanesOf(access.offset)),
        mask_(access.mask),
        width_(values.lanes().width),
        vector_(llvm::FixedVectorType::get(access.type, values.lanes().width)) {}

  llvm::Value* Load() {
    if (access_.parts == 1 && access_.bytes >= kMinShuffledBytes && !offset_.varying() &&
        offset_.stride > 1 && offset_.stride <= kMaxShuffledStride && width_ > 2) {
      // At known lanes, vectors of which no element is outside need no masks.
      if (mask_)
        if (llvm::Value* value = LoadConstantDistances()) return value;
      return LoadStrided();
    }
    if (access_.parts == 1 && access_.bytes < kMinShuffledBytes && !offset_.varying() &&
        values_.options().byte_shuffles && width_ > 2)
      if (llvm::Value* value = LoadNarrow()) return value;
    if (!offset_.lanes.empty())
      if (llvm::Value* value = LoadConstantDistances()) return value;
    return Gather();
  }

 private:
  // Loads elements with a small stride: loads all elements from the first to the last one
  // and selects by shuffles. One load and one insertion per lane take several times as
  // long.
  llvm::Value* LoadStrided() {
    const int64_t width = width_, stride = offset_.stride;
    llvm::Value* none = llvm::Constant::getNullValue(vector_);
    llvm::Value* result = nullptr;
    for (int64_t number = 0; number < stride; ++number) {
      // Without a mask the last load ends with the last element, because memory past it
      // must not be read.
      bool ends = !mask_ && number + 1 == stride;
      int64_t first = ends ? (stride - 1) * (width - 1) : number * width;
      llvm::Value* address = b_.CreateGEP(Unit(), FirstElement(), b_.getInt64(first));
      llvm::SmallVector<int> from_both, lane_of_mask;
      for (int64_t lane = 0; lane < width; ++lane) {
        int64_t element = lane * stride, position = number * width + lane;
        bool in_vector = element >= number * width && element < (number + 1) * width;
        from_both.push_back(static_cast<int>(in_vector ? width + element - first : lane));
        bool is_requested = position % stride == 0 && position / stride < width;
        lane_of_mask.push_back(
            static_cast<int>(is_requested ? position / stride : width));
      }
      llvm::Value* loaded;
      if (mask_) {
        llvm::Value* off = llvm::Constant::getNullValue(mask_->getType());
        llvm::Value* mask = b_.CreateShuffleVector(mask_, off, lane_of_mask);
        loaded = b_.CreateMaskedLoad(
            vector_, AddressUnlessAllOff(b_, mask, address, access_.start),
            access_.align(), mask, none);
      } else {
        loaded = b_.CreateAlignedLoad(vector_, address, access_.align());
      }
      result = b_.CreateShuffleVector(result ? result : none, loaded, from_both);
    }
    return WithOther(result);
  }

  // Loads narrow elements at constant distances by vectors of at most 128 bits: each
  // section of the result is the OR of vectors that have the elements of one load in
  // their lanes, and zeros. Reads nothing outside of the runs of elements. Returns null
  // if that takes as many instructions as one load per lane.
  llvm::Value* LoadNarrow() {
    const auto active = KnownLanes(mask_, width_);
    if (!active) return nullptr;
    llvm::SmallVector<int64_t> positions(width_), wanted;
    for (int lane = 0; lane < width_; ++lane) {
      positions[lane] = lanes_[lane];
      if ((*active)[lane]) wanted.push_back(positions[lane]);
    }
    const int section =
        static_cast<int>(std::min<int64_t>(width_, kSectionBytes / access_.bytes));
    const auto runs = FindRuns(wanted, section);
    llvm::SmallVector<SectionLoad> loads;
    for (int lane = 0; lane < width_; lane += section)
      for (const ElementRun& run : runs)
        PlanSection(run, lane, section, positions, *active, loads);
    if (loads.empty() || 2 * loads.size() > wanted.size()) return nullptr;
    auto* integer = b_.getIntNTy(static_cast<unsigned>(8 * access_.bytes));
    llvm::Value* result = nullptr;
    for (int lane = 0; lane < width_; lane += section) {
      llvm::Value* all = llvm::Constant::getNullValue(
          llvm::FixedVectorType::get(integer, static_cast<unsigned>(section)));
      for (const SectionLoad& load : loads)
        if (load.lane == lane) all = b_.CreateOr(all, EmitSectionLoad(load, integer));
      result = result ? Concatenate(result, all) : all;
    }
    return WithOther(b_.CreateBitCast(result, vector_));
  }

  // A load of `size` elements from `start` on, for the lanes of one section from `lane`
  // on. from[i]: the element of the i-th of them, or `size`, which is zero.
  struct SectionLoad {
    int lane;
    int64_t start, size;
    llvm::SmallVector<int> from;
  };

  // Appends loads for the lanes from `first` on whose elements are in `run`.
  void PlanSection(const ElementRun& run, int first, int section,
                   llvm::ArrayRef<int64_t> positions, llvm::ArrayRef<bool> active,
                   llvm::SmallVectorImpl<SectionLoad>& loads) {
    llvm::SmallVector<int> lanes;  // by position
    for (int lane = first; lane < first + section; ++lane)
      if (active[lane] && positions[lane] >= run.low && positions[lane] <= run.high)
        lanes.push_back(lane);
    llvm::stable_sort(lanes, [&](int x, int y) { return positions[x] < positions[y]; });
    const int64_t most = llvm::bit_floor(uint64_t(run.high - run.low + 1));
    const int64_t size = std::min<int64_t>(kSectionBytes / access_.bytes, most);
    for (size_t next = 0; next < lanes.size();) {
      SectionLoad load{first, std::min(positions[lanes[next]], run.high - size + 1), size,
                       llvm::SmallVector<int>(section, static_cast<int>(size))};
      for (; next < lanes.size() && positions[lanes[next]] < load.start + size; ++next)
        load.from[lanes[next] - first] =
            static_cast<int>(positions[lanes[next]] - load.start);
      loads.push_back(std::move(load));
    }
  }

  llvm::Value* EmitSectionLoad(const SectionLoad& load, llvm::Type* integer) {
    auto* type = llvm::FixedVectorType::get(integer, static_cast<unsigned>(load.size));
    llvm::Value* address = b_.CreateGEP(Unit(), FirstElement(), b_.getInt64(load.start));
    llvm::Value* loaded = b_.CreateAlignedLoad(type, address, access_.align());
    return b_.CreateShuffleVector(loaded, llvm::Constant::getNullValue(type), load.from);
  }

  // The lanes of `low`, a multiple of those of `high`, and then those of `high`.
  llvm::Value* Concatenate(llvm::Value* low, llvm::Value* high) {
    auto lanes = [](llvm::Value* value) {
      return llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
    };
    llvm::SmallVector<int> widened(lanes(low), -1), both(lanes(low) + lanes(high));
    std::iota(widened.begin(), widened.begin() + lanes(high), 0);
    std::iota(both.begin(), both.end(), 0);
    if (lanes(high) < lanes(low)) high = b_.CreateShuffleVector(high, widened);
    return b_.CreateShuffleVector(low, high, both);
  }

  // Loads elements at constant distances: loads all elements from the lowest to the
  // highest one and selects by shuffles. Returns null if they are too far apart.
  llvm::Value* LoadConstantDistances() {
    auto active = KnownLanes(mask_, width_);
    if (!active) return nullptr;
    std::optional<int64_t> low, high;
    for (int lane = 0; lane < width_; ++lane) {
      if (!(*active)[lane]) continue;
      int64_t element = lanes_[lane] * access_.parts;
      low = std::min(low.value_or(element), element);
      high = std::max(high.value_or(element), element + access_.parts - 1);
    }
    if (!low)
      return access_.other ? access_.other : llvm::Constant::getNullValue(vector_);
    VectorCover cover = CoverRange(*low, *high, width_);
    if (static_cast<int>(cover.starts.size()) > std::max(2, width_ / 2)) return nullptr;
    return WithOther(LoadVectors(cover, *active));
  }

  // Loads the vectors of `cover` and selects the element of each active lane.
  llvm::Value* LoadVectors(const VectorCover& cover, llvm::ArrayRef<bool> active) {
    llvm::Type* type = access_.type;
    llvm::Value* first = b_.CreateGEP(llvm::ArrayType::get(type, access_.parts),
                                      access_.pointer, offset_.base);
    auto* loaded = llvm::FixedVectorType::get(type, static_cast<unsigned>(cover.size));
    llvm::SmallVector<int> widened(width_, -1);
    std::iota(widened.begin(), widened.begin() + cover.size, 0);
    llvm::Value* result = nullptr;
    llvm::SmallVector<bool> done(width_, false);
    for (int64_t start : cover.starts) {
      llvm::Value* address = b_.CreateGEP(type, first, b_.getInt64(start));
      llvm::Value* piece = b_.CreateAlignedLoad(
          loaded, address, llvm::Align(type->getScalarSizeInBits() / 8));
      if (cover.size < width_) piece = b_.CreateShuffleVector(piece, widened);
      // Inactive lanes may hold any element, but not poison.
      llvm::SmallVector<int> from(width_, 0);
      for (int lane = 0; lane < width_; ++lane) {
        int64_t position = lanes_[lane] * access_.parts + access_.part - start;
        bool in_vector =
            active[lane] && !done[lane] && position >= 0 && position < cover.size;
        if (result)
          from[lane] = in_vector ? width_ + static_cast<int>(position) : lane;
        else if (in_vector)
          from[lane] = static_cast<int>(position);
        if (in_vector) done[lane] = true;
      }
      result = result ? b_.CreateShuffleVector(result, piece, from)
                      : b_.CreateShuffleVector(piece, from);
    }
    return result;
  }

  // Loads lane by lane. Gather instructions are not faster even on processors with fast
  // gathers. They also stall on 4K aliasing: all lanes wait if one lane's address matches
  // the low bits of an earlier store that has not completed.
  llvm::Value* Gather() {
    llvm::Value* result =
        mask_ ? llvm::Constant::getNullValue(vector_) : llvm::PoisonValue::get(vector_);
    auto load_lane = [&](int lane, llvm::Value* start, llvm::Value* position) {
      llvm::Value* address = b_.CreateGEP(Unit(), start, position);
      result = b_.CreateInsertElement(
          result, b_.CreateAlignedLoad(access_.type, address, access_.align()),
          uint64_t(lane));
    };
    const auto active = KnownLanes(mask_, width_);
    if (!offset_.varying() && active) {
      llvm::Value* start = FirstElement();
      for (auto [lane, more] : llvm::enumerate(values_.Indices().LanesOf(offset_)))
        if ((*active)[lane]) load_lane(static_cast<int>(lane), start, b_.getInt64(more));
      return WithOther(result);
    }
    llvm::Value* positions = values_.Indices().Vector(offset_);
    // Masked-out lanes read the first element.
    if (mask_)
      positions = b_.CreateSelect(mask_, positions,
                                  llvm::Constant::getNullValue(positions->getType()));
    for (int lane = 0; lane < width_; ++lane) {
      if (mask_ && IsKnownOff(mask_, lane)) continue;
      // Extracts and extends each lane by itself. If two lanes are extended to 64 bits
      // together, LLVM 22 reads the lower one without clearing the upper half (found by
      // the fuzzer).
      llvm::Value* position =
          b_.CreateZExtOrTrunc(b_.CreateExtractElement(positions, lane), b_.getInt64Ty());
      load_lane(lane, access_.start, position);
    }
    return WithOther(result);
  }

  // The address of the lane whose offset is 0. Constants are added to it, and not to the
  // index: LLVM's instruction selection takes quadratic time for many sums of one index.
  llvm::Value* FirstElement() {
    return b_.CreateGEP(Unit(), access_.start, offset_.base);
  }

  // Sets the masked-out lanes.
  llvm::Value* WithOther(llvm::Value* loaded) {
    if (!mask_ || !access_.other) return loaded;
    return b_.CreateSelect(mask_, loaded, access_.other);
  }
  llvm::Type* Unit() { return llvm::ArrayType::get(b_.getInt8Ty(), access_.bytes); }

  PointValues& values_;
  llvm::IRBuilderBase& b_;
  const LaneAccess& access_;
  const IndexValue& offset_;
  const llvm::SmallVector<int64_t, 0> lanes_;  // of the offset, unless it is varying
  llvm::Value* mask_;
  const int width_;
  llvm::FixedVectorType* vector_;
};

}  // namespace

llvm::Value* AddressUnlessAllOff(llvm::IRBuilderBase& b, llvm::Value* mask,
                                 llvm::Value* address, llvm::Value* start) {
  return b.CreateSelect(b.CreateOrReduce(mask), address, start);
}

std::optional<llvm::SmallVector<bool>> KnownLanes(llvm::Value* mask, int width) {
  llvm::SmallVector<bool> lanes(width, true);
  if (!mask) return lanes;
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant) return std::nullopt;
  for (int lane = 0; lane < width; ++lane) {
    auto* on = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        constant->getType()->isVectorTy() ? constant->getAggregateElement(lane)
                                          : constant);
    if (!on) return std::nullopt;
    lanes[lane] = on->isOne();
  }
  return lanes;
}

llvm::Value* LoadScattered(PointValues& values, const LaneAccess& access) {
  return LaneLoads(values, access).Load();
}

void StoreScattered(PointValues& values, const LaneAccess& access, llvm::Value* value) {
  llvm::IRBuilderBase& b = values.builder();
  const auto elements = values.Indices().LanesOf(access.offset);
  llvm::Type* unit = llvm::ArrayType::get(b.getInt8Ty(), access.bytes);
  llvm::Value* first = b.CreateGEP(unit, access.start, access.offset.base);
  const int width = values.lanes().width;
  const auto active = *KnownLanes(access.mask, width);
  for (int64_t lane = 0, end = 0; lane < width; lane = end) {
    end = lane + 1;
    if (!active[lane]) continue;
    // A complex number's parts are not neighbours.
    while (end < width && active[end] && access.parts == 1 &&
           elements[end] == elements[end - 1] + 1)
      ++end;
    const VectorCover cover = CoverRange(lane, end - 1, width);
    for (int64_t start : cover.starts) {
      llvm::Value* address = b.CreateGEP(unit, first, b.getInt64(elements[start]));
      llvm::SmallVector<int> from(cover.size);
      std::iota(from.begin(), from.end(), static_cast<int>(start));
      b.CreateAlignedStore(cover.size == 1
                               ? b.CreateExtractElement(value, uint64_t(start))
                               : b.CreateShuffleVector(value, from),
                           address, access.align());
    }
  }
}

}  // namespace tenon::codegen
