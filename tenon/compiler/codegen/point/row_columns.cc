#include "tenon/compiler/codegen/point/row_columns.h"

#include <numeric>

#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"

namespace tenon::codegen {
namespace {

// Rows in memory, one for each lane of a register.
class RowMemory {
 public:
  RowMemory(llvm::IRBuilderBase& b, llvm::Value* first, llvm::Type* type, int64_t width,
            int64_t columns)
      : b_(b), first_(first), type_(type), width_(width), columns_(columns) {}

  llvm::Value* Load(int64_t element, int64_t count) {
    return b_.CreateAlignedLoad(Vector(count), Address(element), Align());
  }

  void Store(llvm::Value* vector, int64_t element) {
    b_.CreateAlignedStore(vector, Address(element), Align());
  }

  // Stores `count` lanes of `vector`, from lane `from` on, in powers of two.
  void StoreLanes(llvm::Value* vector, int64_t from, int64_t count, int64_t element) {
    while (count > 0) {
      int64_t size = llvm::bit_floor(static_cast<uint64_t>(count));
      Store(Lanes(vector, from, size), element);
      from += size, element += size, count -= size;
    }
  }

  llvm::Value* Lanes(llvm::Value* vector, int64_t from, int64_t count) {
    llvm::SmallVector<int> lanes(count);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(from));
    return b_.CreateShuffleVector(vector, lanes);
  }

  // Loads the rows as consecutive registers and collects each column: one shuffle for
  // each register that has elements of the column.
  Columns LoadByShuffles() {
    llvm::SmallVector<llvm::Value*> memory;
    for (int64_t number = 0; number < columns_; ++number)
      memory.push_back(Load(number * width_, width_));
    Columns result;
    for (int64_t column = 0; column < columns_; ++column) {
      result.push_back(Collect(memory, [&](int64_t lane) {
        int64_t element = lane * columns_ + column;
        return std::pair(element / width_, element % width_);
      }));
    }
    return result;
  }

  void StoreByShuffles(llvm::ArrayRef<llvm::Value*> columns) {
    for (int64_t number = 0; number < columns_; ++number) {
      Store(Collect(columns,
                    [&](int64_t lane) {
                      int64_t element = number * width_ + lane;
                      return std::pair(element % columns_, element / columns_);
                    }),
            number * width_);
    }
  }

  // Loads columns [begin, end) row by row and transposes registers. Each register holds
  // `size` elements, at least end - begin, of several rows.
  void LoadByRows(int64_t begin, int64_t end, Columns& result) {
    int64_t size = llvm::bit_ceil(static_cast<uint64_t>(end - begin));
    Columns registers;
    for (int64_t number = 0; number < size; ++number) {
      Columns parts;
      for (int64_t row = number; row < width_; row += size)
        parts.push_back(LoadRow(row, begin, end, size));
      for (; parts.size() > 1; parts.resize(parts.size() / 2))
        for (size_t part = 0; part + 1 < parts.size(); part += 2)
          parts[part / 2] = Concatenate(parts[part], parts[part + 1]);
      registers.push_back(parts[0]);
    }
    Transpose(registers);
    result.append(registers.begin(), registers.begin() + (end - begin));
  }

  void StoreByRows(llvm::ArrayRef<llvm::Value*> columns, int64_t begin) {
    int64_t count = columns.size(), size = llvm::bit_ceil(static_cast<uint64_t>(count));
    Columns registers(columns);
    registers.resize(size, llvm::PoisonValue::get(columns[0]->getType()));
    Transpose(registers);
    // Rows are stored in order: elements written past a row are overwritten by the next
    // row.
    bool whole = begin == 0 && count == columns_;
    for (int64_t row = 0; row < width_; ++row) {
      llvm::Value* from = registers[row % size];
      int64_t lane = row / size * size, element = row * columns_ + begin;
      if (whole && row + 1 < width_)
        Store(Lanes(from, lane, size), element);
      else
        StoreLanes(from, lane, count, element);
    }
  }

 private:
  llvm::Align Align() { return llvm::Align(type_->getScalarSizeInBits() / 8); }
  llvm::Type* Vector(int64_t count) {
    return llvm::FixedVectorType::get(type_, static_cast<unsigned>(count));
  }
  llvm::Value* Address(int64_t element) {
    return b_.CreateGEP(type_, first_, b_.getInt64(element));
  }

  llvm::Value* Concatenate(llvm::Value* low, llvm::Value* high) {
    auto* type = llvm::cast<llvm::FixedVectorType>(low->getType());
    llvm::SmallVector<int> lanes(2 * type->getNumElements());
    std::iota(lanes.begin(), lanes.end(), 0);
    return b_.CreateShuffleVector(low, high, lanes);
  }

  // Loads `size` elements that contain [begin, end) of a row. They are the first ones of
  // the result.
  llvm::Value* LoadRow(int64_t row, int64_t begin, int64_t end, int64_t size) {
    int64_t element = row * columns_ + begin, over = begin + size - columns_;
    // Memory past the last row must not be read, so its load starts earlier.
    if (row + 1 < width_ || over <= 0) return Load(element, size);
    llvm::Value* loaded = Load(element - over, size);
    llvm::SmallVector<int> lanes(size, 0);
    std::iota(lanes.begin(), lanes.begin() + (end - begin), static_cast<int>(over));
    return b_.CreateShuffleVector(loaded, lanes);
  }

  // Builds a register from lanes of `vectors`. `source` maps a lane to the number of a
  // vector and a lane of it.
  llvm::Value* Collect(llvm::ArrayRef<llvm::Value*> vectors,
                       llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> source) {
    llvm::Value* result = nullptr;
    for (auto [number, vector] : llvm::enumerate(vectors)) {
      llvm::SmallVector<int> lanes;
      bool any = false;
      for (int64_t lane = 0; lane < width_; ++lane) {
        auto [from, position] = source(lane);
        bool from_vector = from == static_cast<int64_t>(number);
        any |= from_vector;
        lanes.push_back(static_cast<int>(from_vector ? width_ + position : lane));
      }
      if (!any) continue;
      llvm::Value* before = result ? result : llvm::PoisonValue::get(vector->getType());
      result = b_.CreateShuffleVector(before, vector, lanes);
    }
    return result;
  }

  // Transposes registers and lanes in each group of registers.size() lanes, one bit of
  // their numbers at a time.
  void Transpose(Columns& registers) {
    for (size_t bit = 1; bit < registers.size(); bit *= 2) {
      llvm::SmallVector<int> low, high;
      for (int64_t lane = 0; lane < width_; ++lane) {
        bool upper = lane & bit;
        low.push_back(static_cast<int>(upper ? width_ + (lane ^ bit) : lane));
        high.push_back(static_cast<int>(upper ? width_ + lane : lane | bit));
      }
      for (size_t number = 0; number < registers.size(); ++number) {
        if (number & bit) continue;
        llvm::Value *x = registers[number], *y = registers[number | bit];
        registers[number] = b_.CreateShuffleVector(x, y, low);
        registers[number | bit] = b_.CreateShuffleVector(x, y, high);
      }
    }
  }

  llvm::IRBuilderBase& b_;
  llvm::Value* first_;
  llvm::Type* type_;
  int64_t width_, columns_;
};

// Whether collecting every column from all registers takes fewer instructions than
// transposing rows.
bool IsByShuffles(int64_t width, int64_t columns) {
  int64_t size = std::min<int64_t>(width, llvm::bit_ceil(static_cast<uint64_t>(columns)));
  return columns * columns < width + size * llvm::Log2_64(size);
}

}  // namespace

Columns LoadColumns(llvm::IRBuilderBase& b, llvm::Value* first, llvm::Type* type,
                    int64_t width, int64_t columns) {
  RowMemory memory(b, first, type, width, columns);
  if (IsByShuffles(width, columns)) return memory.LoadByShuffles();
  Columns result;
  for (int64_t begin = 0; begin < columns; begin += width)
    memory.LoadByRows(begin, std::min(columns, begin + width), result);
  return result;
}

void StoreColumns(llvm::IRBuilderBase& b, llvm::Value* first,
                  llvm::ArrayRef<llvm::Value*> columns) {
  auto* type = llvm::cast<llvm::FixedVectorType>(columns[0]->getType());
  int64_t width = type->getNumElements(), count = columns.size();
  RowMemory memory(b, first, type->getElementType(), width, count);
  if (IsByShuffles(width, count)) return memory.StoreByShuffles(columns);
  for (int64_t begin = 0; begin < count; begin += width)
    memory.StoreByRows(columns.slice(begin, std::min(width, count - begin)), begin);
}

}  // namespace tenon::codegen
