// What the matrix instructions do, written from the PTX ISA's description of fragments
// (rows and columns as functions of the lane and the register), and not from the tables
// that the emitters use.
#include <cstdlib>
#include <cstring>
#include <regex>
#include <utility>

#include "tests/gpu/items.h"

namespace tenon::gpu_test {
namespace {

float FromBf16(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

float FromF16(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<float>(value);
}

float FromTf32(uint32_t bits) {
  if (bits & 0x1fff) return __builtin_nanf("");  // was not rounded
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Element number `i` of a lane's registers, which begin at argument `first`, with `bits`
// bits each.
uint32_t Bits(const Operation& lane, size_t first, int i, int bits) {
  const int per_register = 32 / bits;
  const uint32_t reg =
      lane.Argument<uint32_t>(first + static_cast<size_t>(i / per_register));
  const uint32_t shifted = reg >> (i % per_register * bits);
  return bits == 32 ? shifted : shifted & ((1u << bits) - 1);
}

// Products of 16 rows and 8 columns. a, b: elements of a lane; A(i) and B(i) of the ISA
// are at (row, depth) and (depth, column).
template <typename Sum, typename Decode>
void Mma16x8(const Lanes& lanes, int depth, int bits, Decode decode) {
  std::vector<Sum> a(static_cast<size_t>(16 * depth)), b(static_cast<size_t>(depth * 8));
  const int per_register = 32 / bits;
  const int a_elements = 4 * per_register, b_elements = 2 * per_register;
  for (int lane = 0; lane < kWarp; ++lane) {
    const int group = lane >> 2, in_group = lane % 4;
    const Operation& operation = *lanes[static_cast<size_t>(lane)];
    for (int i = 0; i < a_elements; ++i) {
      const int reg = i / per_register;
      const int row = reg % 2 == 0 ? group : group + 8;
      const int k =
          in_group * per_register + i % per_register + (reg >= 2 ? depth / 2 : 0);
      a[static_cast<size_t>(row * depth + k)] = decode(Bits(operation, 0, i, bits));
    }
    for (int i = 0; i < b_elements; ++i) {
      const int k = in_group * per_register + i % per_register +
                    (i >= per_register ? depth / 2 : 0);
      b[static_cast<size_t>(k * 8 + group)] = decode(Bits(operation, 4, i, bits));
    }
  }
  for (int lane = 0; lane < kWarp; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int row = (lane >> 2) + (i < 2 ? 0 : 8), column = lane % 4 * 2 + (i & 1);
      const Operation& operation = *lanes[static_cast<size_t>(lane)];
      Sum sum = operation.Argument<Sum>(6 + static_cast<size_t>(i));
      for (int k = 0; k < depth; ++k)
        sum += a[static_cast<size_t>(row * depth + k)] *
               b[static_cast<size_t>(k * 8 + column)];
      operation.Result<Sum>(static_cast<size_t>(i)) = sum;
    }
  }
}

void Mma8x8F64(const Lanes& lanes) {
  double a[8][4], b[4][8];
  for (size_t lane = 0; lane < kWarp; ++lane) {
    a[lane >> 2][lane % 4] = lanes[lane]->Argument<double>(0);
    b[lane % 4][lane >> 2] = lanes[lane]->Argument<double>(1);
  }
  for (size_t lane = 0; lane < kWarp; ++lane) {
    for (size_t i = 0; i < 2; ++i) {
      double sum = lanes[lane]->Argument<double>(2 + i);
      for (size_t k = 0; k < 4; ++k) sum += a[lane >> 2][k] * b[k][lane % 4 * 2 + i];
      lanes[lane]->Result<double>(i) = sum;
    }
  }
}

void Mma16x8F64(const Lanes& lanes) {
  double a[16][8], b[8][8];
  for (size_t lane = 0; lane < kWarp; ++lane) {
    const size_t group = lane >> 2, in_group = lane % 4;
    for (size_t i = 0; i < 4; ++i)
      a[group + i % 2 * 8][in_group + i / 2 * 4] = lanes[lane]->Argument<double>(i);
    for (size_t i = 0; i < 2; ++i)
      b[in_group + i * 4][group] = lanes[lane]->Argument<double>(4 + i);
  }
  for (size_t lane = 0; lane < kWarp; ++lane) {
    for (size_t i = 0; i < 4; ++i) {
      const size_t row = (lane >> 2) + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = lanes[lane]->Argument<double>(6 + i);
      for (size_t k = 0; k < 8; ++k) sum += a[row][k] * b[k][column];
      lanes[lane]->Result<double>(i) = sum;
    }
  }
}

void LoadMatrices(const Lanes& lanes, size_t count, bool transposed) {
  std::vector<std::vector<uint32_t>> results(kWarp, std::vector<uint32_t>(count));
  for (size_t matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[8][8];
    for (size_t row = 0; row < 8; ++row) {
      const char* address = lanes[8 * matrix + row]->Argument<const char*>(0);
      if (reinterpret_cast<uintptr_t>(address) % 16) std::abort();
      std::memcpy(elements[row], address, 16);
    }
    for (size_t lane = 0; lane < kWarp; ++lane) {
      const size_t row = lane / 4, column = lane % 4 * 2;
      const uint32_t low = transposed ? elements[column][row] : elements[row][column];
      const uint32_t high =
          transposed ? elements[column + 1][row] : elements[row][column + 1];
      results[lane][matrix] = low | high << 16;
    }
  }
  for (size_t lane = 0; lane < kWarp; ++lane)
    for (size_t i = 0; i < count; ++i)
      lanes[lane]->Result<uint32_t>(i) = results[lane][i];
}

// An element of 16 bits of a tile that a descriptor names, with rows of 128 bytes.
uint16_t TileElement(uint64_t descriptor, bool transposed, uint64_t side,
                     uint64_t depth) {
  const uint64_t start = (descriptor & 0x3fff) << 4;
  const uint64_t leading = (descriptor >> 16 & 0x3fff) << 4;
  const uint64_t stride = (descriptor >> 32 & 0x3fff) << 4;
  if (descriptor >> 62 != 1) std::abort();  // another kind of swizzle
  uint64_t address = start;
  if (transposed)
    address += side / 64 * leading + side % 64 * 2 + depth / 8 * stride + depth % 8 * 128;
  else
    address += side / 8 * stride + side % 8 * 128 + depth * 2;
  address ^= (address >> 7 & 7) << 4;
  uint16_t bits;
  std::memcpy(&bits, LocalMemory() + address % kLocalBytes, sizeof bits);
  return bits;
}

void Perform(const WideProducts::Product& product, WideProducts& wide) {
  constexpr size_t kRows = 64, kDepth = 16;
  auto decode = [&](uint16_t bits) {
    return product.is_bf16 ? FromBf16(bits) : FromF16(bits);
  };
  for (size_t k = 0; k < kDepth; ++k) {
    std::vector<float> row(wide.columns);
    for (size_t column = 0; column < wide.columns; ++column)
      row[column] = decode(TileElement(product.rhs, product.rhs_transposed, column, k));
    for (size_t i = 0; i < kRows; ++i) {
      const float x = decode(TileElement(product.lhs, product.lhs_transposed, i, k));
      for (size_t column = 0; column < wide.columns; ++column)
        wide.sums[i * wide.columns + column] += x * row[column];
    }
  }
}

// The sum number `i` of a lane.
float& SumOf(WideProducts& wide, size_t lane, size_t i) {
  const size_t row = lane / 32 * 16 + lane % 32 / 4 + (i / 2 % 2) * 8;
  return wide.sums[row * wide.columns + lane % 4 * 2 + i % 2 + i / 4 * 8];
}

// What registers of sums hold while products are under way: a NaN.
constexpr uint32_t kUnderWay = 0x7fc0dead;

void SetUnderWay(const Lanes& lanes, size_t sums) {
  for (const Operation* lane : lanes)
    for (size_t i = 0; i < sums; ++i) lane->Result<uint32_t>(i) = kUnderWay;
}

// A block of assembly from the fence to the commit.
bool StartWgmma(std::string_view name, const Lanes& lanes, WideProducts& wide) {
  const std::regex pattern(
      "wgmma\\.mma_async\\.sync\\.aligned\\.m64n(\\d+)k16\\.f32\\.(bf16|f16)\\.(bf16|f16)"
      " "
      "\\{[^}]*\\}, \\$(\\d+), \\$(\\d+), 1, 1, 1, ([01]), ([01]);");
  const std::string text(name);
  if (!text.starts_with("wgmma.fence.sync.aligned;") ||
      !text.ends_with("wgmma.commit_group.sync.aligned;"))
    return false;
  std::vector<WideProducts::Product> set;
  size_t sums = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    sums = std::stoul((*it)[1]) / 2;
    // Operands are numbered after the outputs, which come first.
    const size_t descriptor = std::stoul((*it)[4]) - sums;
    for (const Operation* lane : lanes)  // uniform, as the ISA demands
      for (size_t i = descriptor; i < descriptor + 2; ++i)
        if (lane->Argument<uint64_t>(i) != lanes[0]->Argument<uint64_t>(i)) return false;
    set.push_back({lanes[0]->Argument<uint64_t>(descriptor),
                   lanes[0]->Argument<uint64_t>(descriptor + 1), (*it)[2] == "bf16",
                   (*it)[6] == "1", (*it)[7] == "1"});
  }
  if (set.empty()) return false;
  const bool begins = wide.sets.empty();
  if (begins) {
    wide.columns = 2 * sums;
    wide.sums.resize(64 * wide.columns);
  }
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (size_t i = 0; i < sums; ++i)
      if (begins)
        SumOf(wide, lane, i) = lanes[lane]->Argument<float>(i);
      else if (lanes[lane]->Argument<uint32_t>(i) != kUnderWay)
        return false;  // another register than the one that is added to
  wide.sets.push_back(set);
  SetUnderWay(lanes, sums);
  return true;
}

bool WaitWgmma(std::string_view text, const Lanes& lanes, WideProducts& wide) {
  const size_t pending = std::stoul(std::string(text.substr(text.find("aligned ") + 8)));
  while (wide.sets.size() > pending) {
    for (const WideProducts::Product& product : wide.sets.front()) Perform(product, wide);
    wide.sets.pop_front();
  }
  const size_t sums = wide.columns / 2;
  if (!wide.sets.empty()) {
    SetUnderWay(lanes, sums);
    return true;
  }
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (size_t i = 0; i < sums; ++i)
      lanes[lane]->Result<float>(i) = SumOf(wide, lane, i);
  return true;
}

bool Contains(std::string_view name, std::string_view part) {
  return name.find(part) != name.npos;
}

// Each lane gets the value of the lane that it names.
void ReadLanes(const Lanes& lanes) {
  std::vector<uint32_t> values;
  for (const Operation* lane : lanes) {
    if (lane->Argument<uint32_t>(0) != ~0u || lane->Argument<uint32_t>(3) != 31)
      std::abort();  // not the whole warp
    values.push_back(lane->Argument<uint32_t>(1));
  }
  for (Operation* lane : lanes)
    lane->Result<uint32_t>(0) = values[lane->Argument<uint32_t>(2) % kWarp];
}

// Each lane gets the value of the lane whose number differs by these bits.
void ExchangeLanes(const Lanes& lanes) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    if (lanes[lane]->Argument<uint32_t>(0) != 0xffffffff ||
        lanes[lane]->Argument<uint32_t>(3) != 0x1f)
      std::abort();
    const size_t other = lane ^ lanes[lane]->Argument<uint32_t>(2);
    lanes[lane]->Result<float>(0) = lanes[other]->Argument<float>(1);
  }
}

}  // namespace

std::function<bool(const Lanes&, WideProducts&)> FindTogether(const std::string& name) {
  using Function = std::function<void(const Lanes&)>;
  const std::pair<const char*, Function> known[] = {
      {"barrier.cta.sync", [](const Lanes&) {}},
      {"bar.warp.sync", [](const Lanes&) {}},
      {"ldmatrix", [count = Contains(name, ".x4")   ? size_t{4}
                            : Contains(name, ".x2") ? size_t{2}
                                                    : size_t{1},
                    transposed = Contains(name, ".trans")](
                       const Lanes& lanes) { LoadMatrices(lanes, count, transposed); }},
      {"shfl.sync.idx.i32", &ReadLanes},
      {"shfl.sync.bfly.f32", &ExchangeLanes},
      {"m16n8k16.row.col.bf16",
       [](const Lanes& lanes) {
         Mma16x8<float>(lanes, 16, 16,
                        [](uint32_t bits) { return FromBf16(uint16_t(bits)); });
       }},
      {"m16n8k16.row.col.f32.f32",
       [](const Lanes& lanes) {
         Mma16x8<float>(lanes, 16, 16,
                        [](uint32_t bits) { return FromF16(uint16_t(bits)); });
       }},
      {"m16n8k8.row.col.tf32",
       [](const Lanes& lanes) { Mma16x8<float>(lanes, 8, 32, FromTf32); }},
      {"m16n8k32.row.col.s8",
       [](const Lanes& lanes) {
         Mma16x8<int32_t>(lanes, 32, 8,
                          [](uint32_t bits) { return int32_t(int8_t(bits)); });
       }},
      {"m16n8k32.row.col.u8",
       [](const Lanes& lanes) {
         Mma16x8<int32_t>(lanes, 32, 8, [](uint32_t bits) { return int32_t(bits); });
       }},
      {"m8n8k4.row.col.f64", &Mma8x8F64},
      {"m16n8k8.row.col.f64", &Mma16x8F64},
  };
  if (Contains(name, "wgmma")) {
    const bool waits = Contains(name, "wgmma.wait_group");
    return [name, waits](const Lanes& lanes, WideProducts& wide) {
      return waits ? WaitWgmma(name, lanes, wide) : StartWgmma(name, lanes, wide);
    };
  }
  for (const auto& [part, function] : known)
    if (Contains(name, part))
      return [function](const Lanes& lanes, WideProducts&) {
        function(lanes);
        return true;
      };
  return nullptr;
}

}  // namespace tenon::gpu_test
