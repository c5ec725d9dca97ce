#include "tenon/compiler/codegen/point/lane_loads.h"

#include <numeric>
#include <optional>

#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"

namespace tenon::codegen {
namespace {

// Elements with a stride of up to kMaxShuffledStride are loaded as whole vectors and
// shuffled. Narrower elements than kMinShuffledBytes are not: many processors have no
// shuffle of two registers for them.
constexpr int64_t kMaxShuffledStride = 8, kMinShuffledBytes = 4;

// Returns the active lanes, or nullopt if they are only known at run time.
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
        mask_(access.mask),
        width_(values.lanes().width),
        vector_(llvm::FixedVectorType::get(access.type, values.lanes().width)) {}

  llvm::Value* Load() {
    if (access_.parts == 1 && access_.bytes >= kMinShuffledBytes && !offset_.varying() &&
        offset_.stride > 1 && offset_.stride <= kMaxShuffledStride && width_ > 2)
      return LoadStrided();
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
      llvm::Value* address = b_.CreateGEP(Unit(), access_.start,
                                          b_.CreateAdd(offset_.base, b_.getInt64(first)));
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

  // Loads elements at constant distances: loads all elements from the lowest to the
  // highest one and selects by shuffles. Returns null if they are too far apart.
  llvm::Value* LoadConstantDistances() {
    auto active = KnownLanes(mask_, width_);
    if (!active) return nullptr;
    std::optional<int64_t> low, high;
    for (int lane = 0; lane < width_; ++lane) {
      if (!(*active)[lane]) continue;
      int64_t element = offset_.lanes[lane] * access_.parts;
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
        int64_t position = offset_.lanes[lane] * access_.parts + access_.part - start;
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
    llvm::Value* result = llvm::PoisonValue::get(vector_);
    auto load_lane = [&](int lane, llvm::Value* position) {
      llvm::Value* address = b_.CreateGEP(Unit(), access_.start, position);
      result = b_.CreateInsertElement(
          result, b_.CreateAlignedLoad(access_.type, address, access_.align()),
          uint64_t(lane));
    };
    if (!offset_.varying() && !mask_) {
      for (auto [lane, more] : llvm::enumerate(values_.Indices().LanesOf(offset_)))
        load_lane(static_cast<int>(lane), b_.CreateAdd(offset_.base, b_.getInt64(more)));
      return result;
    }
    llvm::Value* positions = values_.Indices().Vector(offset_);
    // Masked-out lanes read the first element.
    if (mask_)
      positions = b_.CreateSelect(mask_, positions,
                                  llvm::Constant::getNullValue(positions->getType()));
    for (int lane = 0; lane < width_; ++lane) {
      // Extracts and extends each lane by itself. If two lanes are extended to 64 bits
      // together, LLVM 22 reads the lower one without clearing the upper half (found by
      // the fuzzer).
      llvm::Value* position =
          b_.CreateZExtOrTrunc(b_.CreateExtractElement(positions, lane), b_.getInt64Ty());
      load_lane(lane, position);
    }
    return WithOther(result);
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
  llvm::Value* mask_;
  const int width_;
  llvm::FixedVectorType* vector_;
};

}  // namespace

llvm::Value* AddressUnlessAllOff(llvm::IRBuilderBase& b, llvm::Value* mask,
                                 llvm::Value* address, llvm::Value* start) {
  return b.CreateSelect(b.CreateOrReduce(mask), address, start);
}

llvm::Value* LoadScattered(PointValues& values, const LaneAccess& access) {
  return LaneLoads(values, access).Load();
}

}  // namespace tenon::codegen
