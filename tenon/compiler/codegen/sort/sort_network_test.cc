// Runs sorting networks and radix sorts that LLVM's JIT compiled.
//
// A network exchanges the same records whatever they hold. By the 0-1 principle it sorts
// all inputs if it sorts all inputs of zeros and ones.
#include "tenon/compiler/codegen/sort/sort_network.h"

#include <bit>
#include <memory>
#include <random>

#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

namespace tenon::codegen {
namespace {

// A function of (from, other, counters, count, bits).
class JitSort {
 public:
  using Function = void* (*)(void*, void*, void*, int64_t, int64_t);
  using Emit = llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Function*)>;

  explicit JitSort(Emit emit) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("sort", *context);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    module->setDataLayout(jit_->getDataLayout());
    llvm::IRBuilder<> b(*context);
    llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
    auto* type =
        llvm::FunctionType::get(pointer, {pointer, pointer, pointer, i64, i64}, false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "sort",
                                            module.get());
    b.SetInsertPoint(llvm::BasicBlock::Create(*context, "entry", function));
    b.CreateRet(emit(b, function));
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    llvm::cantFail(jit_->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
    function_ = llvm::cantFail(jit_->lookup("sort")).toPtr<Function>();
  }

  void* operator()(void* from, void* other, void* counters, int64_t count, int64_t bits) {
    return function_(from, other, counters, count, bits);
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  Function function_;
};

// Memory for records, aligned as registers are, with a guard behind it.
template <typename Record>
class Buffer {
 public:
  explicit Buffer(int64_t size)
      : size_(size), memory_(static_cast<size_t>(size) + kGuard + 64 / sizeof(Record)) {
    auto address = reinterpret_cast<uintptr_t>(memory_.data());
    data_ = reinterpret_cast<Record*>((address + 63) & ~uintptr_t{63});
    std::fill_n(data_ + size_, kGuard, kGuardValue);
  }
  Record* data() { return data_; }
  bool GuardIsIntact() {
    return std::all_of(data_ + size_, data_ + size_ + kGuard,
                       [](const Record& record) { return record == kGuardValue; });
  }

 private:
  static constexpr int64_t kGuard = 64;
  static constexpr Record kGuardValue{0x5a};
  int64_t size_;
  std::vector<Record> memory_;
  Record* data_;
};

template <typename Record>
class Network {
 public:
  Network(RecordLayout layout, int vector_bits)
      : format_{layout},
        sort_([&](llvm::IRBuilder<>& b, llvm::Function* f) {
          return SortNetwork(b, format_, Target(vector_bits))
              .Sort(f->getArg(0), f->getArg(1), f->getArg(3));
        }),
        traits_(Target(vector_bits)),
        from_(NetworkBufferRecords(layout, traits_, kMaxCount)),
        other_(NetworkBufferRecords(layout, traits_, kMaxCount)) {
    EXPECT_EQ(layout.Bytes(), sizeof(Record));
  }

  int lanes() const { return NetworkLanes(format_, traits_); }
  Record* input() { return from_.data(); }

  // Sorts the first `count` records of input(). The result is there or in the other
  // buffer.
  const Record* Sort(int64_t count) {
    auto* result =
        static_cast<Record*>(sort_(from_.data(), other_.data(), nullptr, count, 0));
    EXPECT_TRUE(result == from_.data() || result == other_.data());
    EXPECT_TRUE(from_.GuardIsIntact() && other_.GuardIsIntact()) << count;
    return result;
  }

  static constexpr int64_t kMaxCount = 1024;

 private:
  static TargetTraits Target(int vector_bits) {
    TargetTraits target;
    target.vector_bits = vector_bits;
    return target;
  }
  RecordFormat format_;
  JitSort sort_;
  TargetTraits traits_;
  Buffer<Record> from_, other_;
};

// Whether `records` are some zeros followed by `ones` ones.
template <typename Record>
bool IsSorted(const Record* records, int64_t count, int64_t ones) {
  for (int64_t i = 0; i < count; ++i)
    if (records[i] != Record{i >= count - ones}) return false;
  return true;
}

template <typename Record>
void SortAllZerosAndOnes(Network<Record>& network, int64_t count) {
  for (uint64_t bits = 0; bits < uint64_t{1} << count; ++bits) {
    for (int64_t i = 0; i < count; ++i) network.input()[i] = bits >> i & 1;
    const Record* result = network.Sort(count);
    ASSERT_TRUE(IsSorted(result, count, std::popcount(bits)))
        << count << " records " << bits;
  }
}

// Two lanes have blocks of 16 records: 17 and more merge rows, and then lanes.
TEST(SortNetworkTest, AllZerosAndOnesInTwoLanes) {
  Network<uint32_t> network({32, false}, 64);
  ASSERT_EQ(network.lanes(), 2);
  for (int64_t count = 1; count <= 19; ++count) SortAllZerosAndOnes(network, count);
}

TEST(SortNetworkTest, AllZerosAndOnesInFourLanes) {
  Network<uint32_t> network({32, false}, 128);
  ASSERT_EQ(network.lanes(), 4);
  for (int64_t count : {1, 3, 4, 5, 16, 17}) SortAllZerosAndOnes(network, count);
}

// Inputs of every merge: what a merge receives are two sorted halves, so only the numbers
// of ones in both matter. Halves are rows of the same lane, then groups of lanes.
template <typename Record>
void SortHalves(Network<Record>& network, int64_t rows) {
  int64_t lanes = network.lanes(), count = rows * lanes;
  auto run = [&](auto half_of, int64_t half, int64_t step) {
    for (int64_t first = 0; first <= half; first += step) {
      for (int64_t second = 0; second <= half; second += step) {
        int64_t ones = 0;
        for (int64_t i = 0; i < count; ++i) {
          auto [is_second, position] = half_of(i / lanes, i % lanes);
          network.input()[i] = position < (is_second ? second : first);
          ones += position < (is_second ? second : first);
        }
        ASSERT_TRUE(IsSorted(network.Sort(count), count, ones))
            << rows << " rows, halves of " << half << ": " << first << ", " << second;
      }
    }
  };
  for (int64_t half = 1; half < rows; half *= 2)
    run([&](int64_t row, int64_t) { return std::pair(row & half, row % half); }, half, 1);
  for (int64_t columns = 1; columns < lanes; columns *= 2)
    run(
        [&](int64_t row, int64_t lane) {
          return std::pair(lane & columns, lane % columns * rows + row);
        },
        columns * rows, columns * rows > 64 ? 3 : 1);
}

TEST(SortNetworkTest, EveryMerge) {
  Network<uint32_t> sixteen({32, false}, 512);
  ASSERT_EQ(sixteen.lanes(), 16);
  for (int64_t rows : {8, 16, 32}) SortHalves(sixteen, rows);
  Network<uint64_t> eight({32, true}, 512);
  ASSERT_EQ(eight.lanes(), 8);
  for (int64_t rows : {8, 64}) SortHalves(eight, rows);
}

template <typename Record>
void SortRandomRecords(Network<Record>& network) {
  std::mt19937_64 random(3);
  for (int64_t count = 1; count <= network.kMaxCount; count += 1 + count / 16) {
    // Few and many different values, and the largest, which also fills the last row.
    for (int bits : {1, 4, 64}) {
      std::vector<Record> want;
      for (int64_t i = 0; i < count; ++i) {
        auto value = static_cast<Record>(random() >> (64 - bits));
        want.push_back(random() % 8 ? value : ~Record{0});
      }
      std::copy(want.begin(), want.end(), network.input());
      std::sort(want.begin(), want.end());
      const Record* result = network.Sort(count);
      ASSERT_TRUE(std::equal(want.begin(), want.end(), result)) << count << " " << bits;
    }
  }
}

TEST(SortNetworkTest, RecordsOfEveryFormat) {
  for (int vector_bits : {128, 256, 512}) {
    Network<uint32_t> keys({32, false}, vector_bits);
    SortRandomRecords(keys);
    Network<uint64_t> positions({32, true}, vector_bits);
    SortRandomRecords(positions);
    Network<uint64_t> wide({64, false}, vector_bits);
    SortRandomRecords(wide);
  }
}

TEST(SortNetworkTest, CopiesOnlyTheRecords) {
  TargetTraits target;
  target.vector_bits = 256;
  JitSort copy([&](llvm::IRBuilder<>& b, llvm::Function* f) {
    SortNetwork(b, {{32, false}}, target).Copy(f->getArg(0), f->getArg(1), f->getArg(3));
    return f->getArg(1);
  });
  for (int64_t count = 8; count <= 50; ++count) {
    std::vector<uint32_t> from(count), to(count + 16, 7);
    for (int64_t i = 0; i < count; ++i) from[i] = static_cast<uint32_t>(100 + i);
    copy(from.data(), to.data(), nullptr, count, 0);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << count;
    EXPECT_EQ(std::count(to.begin(), to.end(), 7u), 16) << count;
  }
}

struct Pair {
  uint64_t key, position;
  bool operator==(const Pair&) const = default;
};

// Sorts records of random keys by radix. `make` and `key` convert between a record and
// its key and position.
template <typename Record>
void SortByRadix(RecordLayout layout, int digit_bits,
                 Record (*make)(uint64_t key, uint64_t position),
                 uint64_t (*key)(const Record&)) {
  ASSERT_EQ(layout.Bytes(), sizeof(Record));
  JitSort sort([&](llvm::IRBuilder<>& b, llvm::Function* f) {
    return EmitRadixSort(b, {layout}, f->getArg(0), f->getArg(1), f->getArg(3),
                         f->getArg(4), digit_bits, f->getArg(2), 8);
  });
  std::mt19937_64 random(5);
  Buffer<uint32_t> counters(int64_t{1} << digit_bits);
  for (int64_t count : {1, 2, 3, 17, 1000}) {
    for (int64_t bits : {0, 1, digit_bits - 1, digit_bits, digit_bits + 1, 32, 64}) {
      bits = std::min<int64_t>(bits, layout.key_bits);
      std::vector<Record> from, other(count);
      // Keys agree above the sorted bits.
      for (int64_t i = 0; i < count; ++i)
        from.push_back(make(bits == 0 ? 0 : random() >> (64 - bits), i));
      std::vector<Record> want = from;
      std::stable_sort(want.begin(), want.end(),
                       [&](const Record& x, const Record& y) { return key(x) < key(y); });
      auto* result = static_cast<Record*>(
          sort(from.data(), other.data(), counters.data(), count, bits));
      ASSERT_TRUE(result == from.data() || result == other.data());
      EXPECT_TRUE(std::equal(want.begin(), want.end(), result))
          << count << " records by " << bits << " bits, digits of " << digit_bits;
      EXPECT_TRUE(counters.GuardIsIntact());
    }
  }
}

TEST(RadixSortTest, StableForEveryFormat) {
  for (int digit_bits : {8, kWideDigit}) {
    SortByRadix<uint32_t>(
        {32, false}, digit_bits,
        [](uint64_t key, uint64_t) { return static_cast<uint32_t>(key); },
        [](const uint32_t& record) { return uint64_t{record}; });
    SortByRadix<uint64_t>(
        {64, false}, digit_bits, [](uint64_t key, uint64_t) { return key; },
        [](const uint64_t& record) { return record; });
    SortByRadix<uint64_t>(
        {32, true}, digit_bits,
        [](uint64_t key, uint64_t position) { return key << 32 | position; },
        [](const uint64_t& record) { return record >> 32; });
    SortByRadix<Pair>(
        {64, true}, digit_bits,
        [](uint64_t key, uint64_t position) { return Pair{key, position}; },
        [](const Pair& record) { return record.key; });
  }
}

TEST(RadixSortTest, PrefixCountersExcludeTheirOwnCount) {
  for (int lanes : {1, 4, 16}) {
    JitSort sum([&](llvm::IRBuilder<>& b, llvm::Function* f) {
      EmitPrefixCounters(b, f->getArg(0), 64, lanes);
      return f->getArg(0);
    });
    std::vector<uint32_t> counters, want;
    uint32_t total = 0;
    for (uint32_t i = 0; i < 64; ++i) {
      counters.push_back(i * i % 7);
      want.push_back(total);
      total += counters.back();
    }
    sum(counters.data(), nullptr, nullptr, 0, 0);
    EXPECT_EQ(counters, want) << lanes;
  }
}

}  // namespace
}  // namespace tenon::codegen
