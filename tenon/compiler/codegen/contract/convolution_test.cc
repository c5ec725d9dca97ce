// Convolutions of many kinds against plain loops. Operands are small integers, so results
// are compared exactly.
#include "tenon/compiler/codegen/contract/contract.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>

#include "gtest/gtest.h"
#include "tenon/compiler/codegen/contract/contract_jit.h"
#include "tenon/compiler/codegen/contract/element_memory.h"
#include "tenon/compiler/codegen/contract/test_tensor.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {
namespace {

struct Spatial {
  int64_t input, window;
  int64_t stride = 1, low = 0, high = 0, lhs_dilation = 1, rhs_dilation = 1;
  bool reversal = false;
};

// Dimension orders, outermost first: N batch, C features, 0 1 2 spatial; for rhs I and O.
struct Layout {
  std::string lhs, rhs, out;
};
const Layout kChannelsLast{"N012C", "012IO", "N012C"};
const Layout kChannelsFirst{"NC012", "OI012", "NC012"};
const Layout kFilterGradient{"C012N", "I012O", "012NC"};

int64_t Dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

ConvSpec MakeSpec(int64_t batch, int64_t in, int64_t out, std::vector<Spatial> spatial,
                  const Layout& layout, int64_t feature_groups = 1,
                  int64_t batch_groups = 1, ElementType type = ElementType::kF32) {
  ConvSpec spec;
  spec.batch = batch, spec.input_features = in, spec.output_features = out;
  spec.feature_groups = feature_groups, spec.batch_groups = batch_groups;
  spec.lhs_type = spec.rhs_type = spec.out_type = type;
  for (const Spatial& s : spatial) {
    ConvSpatialDim dim;
    dim.input = s.input, dim.window = s.window;
    dim.stride = s.stride, dim.padding_low = s.low;
    dim.lhs_dilation = s.lhs_dilation, dim.rhs_dilation = s.rhs_dilation;
    dim.reversal = s.reversal;
    int64_t room = Dilated(s.input, s.lhs_dilation) + s.low + s.high;
    int64_t window = Dilated(s.window, s.rhs_dilation);
    dim.output = room < window ? 0 : (room - window) / s.stride + 1;
    spec.spatial.push_back(dim);
  }
  int64_t stride = 1;
  auto each = [&](const std::string& order, auto visit) {
    stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      if (std::isdigit(order[i]) && size_t(order[i] - '0') >= spatial.size()) continue;
      stride *= visit(order[i]);
    }
  };
  each(layout.lhs, [&](char c) {
    if (c == 'N') return spec.lhs_batch_stride = stride, batch;
    if (c == 'C') return spec.lhs_feature_stride = stride, in;
    ConvSpatialDim& dim = spec.spatial[c - '0'];
    return dim.lhs_stride = stride, dim.input;
  });
  each(layout.rhs, [&](char c) {
    if (c == 'I') return spec.rhs_input_stride = stride, in / feature_groups;
    if (c == 'O') return spec.rhs_output_stride = stride, out;
    ConvSpatialDim& dim = spec.spatial[c - '0'];
    return dim.rhs_stride = stride, dim.window;
  });
  each(layout.out, [&](char c) {
    if (c == 'N') return spec.out_batch_stride = stride, batch / batch_groups;
    if (c == 'C') return spec.out_feature_stride = stride, out;
    ConvSpatialDim& dim = spec.spatial[c - '0'];
    return dim.out_stride = stride, dim.output;
  });
  return spec;
}

std::string Describe(const ConvSpec& spec) {
  std::ostringstream s;
  s << "n" << spec.batch << " " << spec.input_features << "->" << spec.output_features
    << " groups " << spec.feature_groups << "/" << spec.batch_groups << " "
    << ElementTypeName(spec.out_type) << " feature strides " << spec.lhs_feature_stride
    << "," << spec.rhs_output_stride << "," << spec.out_feature_stride;
  for (const ConvSpatialDim& d : spec.spatial)
    s << " [in " << d.input << " win " << d.window << " out " << d.output << " stride "
      << d.stride << " low " << d.padding_low << " dil " << d.lhs_dilation << ","
      << d.rhs_dilation << (d.reversal ? " rev" : "") << "]";
  return s.str();
}

int64_t Product(const ConvSpec& spec, int64_t ConvSpatialDim::* size) {
  int64_t product = 1;
  for (const ConvSpatialDim& dim : spec.spatial) product *= dim.*size;
  return product;
}

// A complex product as multiply-adds compute it, without recovery from infinities.
Number Times(Number x, Number y, bool complex) {
  if (!complex) return x.real() * y.real();
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

// StableHLO's definition, one output element at a time.
void Reference(const ConvSpec& spec, const TestTensor& lhs, const TestTensor& rhs,
               TestTensor& out) {
  int64_t groups = spec.feature_groups * spec.batch_groups;
  int64_t out_batch = spec.batch / spec.batch_groups;
  int64_t group_in = spec.input_features / spec.feature_groups;
  int64_t group_out = spec.output_features / groups;
  int64_t pixels = Product(spec, &ConvSpatialDim::output);
  int64_t taps = Product(spec, &ConvSpatialDim::window);
  for (int64_t n = 0; n < out_batch; ++n)
    for (int64_t o = 0; o < spec.output_features; ++o)
      for (int64_t p = 0; p < pixels; ++p) {
        int64_t group = o / group_out;
        int64_t batch = spec.batch_groups > 1 ? group * out_batch + n : n;
        int64_t first = spec.feature_groups > 1 ? group * group_in : 0;
        int64_t out_offset = n * spec.out_batch_stride + o * spec.out_feature_stride;
        int64_t rest = p;
        std::vector<int64_t> index(spec.spatial.size());
        for (size_t i = index.size(); i-- > 0;) {
          const ConvSpatialDim& dim = spec.spatial[i];
          index[i] = rest % dim.output;
          rest /= dim.output;
          out_offset += index[i] * dim.out_stride;
        }
        Number sum = 0;
        for (int64_t t = 0; t < taps; ++t) {
          int64_t lhs_offset =
              batch * spec.lhs_batch_stride + first * spec.lhs_feature_stride;
          int64_t rhs_offset = o * spec.rhs_output_stride;
          int64_t tap = t;
          bool inside = true;
          for (size_t i = index.size(); i-- > 0;) {
            const ConvSpatialDim& dim = spec.spatial[i];
            int64_t w = tap % dim.window;
            tap /= dim.window;
            int64_t input_position =
                index[i] * dim.stride + w * dim.rhs_dilation - dim.padding_low;
            inside = inside && input_position >= 0 &&
                     input_position % dim.lhs_dilation == 0 &&
                     input_position / dim.lhs_dilation < dim.input;
            lhs_offset += input_position / dim.lhs_dilation * dim.lhs_stride;
            rhs_offset += (dim.reversal ? dim.window - 1 - w : w) * dim.rhs_stride;
          }
          // Padding and dilation insert zeros, which are multiplied.
          for (int64_t c = 0; c < group_in; ++c)
            sum += Times(inside ? lhs.Get(lhs_offset + c * spec.lhs_feature_stride) : 0,
                         rhs.Get(rhs_offset + c * spec.rhs_input_stride),
                         compiler::IsComplex(spec.out_type));
        }
        out.Set(out_offset, sum);
      }
}

// Elements of rhs, by number, that are not finite.
using Special = std::vector<std::pair<int64_t, double>>;
const double kInfinity = std::numeric_limits<double>::infinity();

struct Buffers {
  explicit Buffers(const ConvSpec& spec, const Special& special = {})
      : lhs(spec.lhs_type,
            spec.batch * spec.input_features * Product(spec, &ConvSpatialDim::input)),
        rhs(spec.rhs_type, spec.output_features * spec.input_features /
                               spec.feature_groups *
                               Product(spec, &ConvSpatialDim::window)),
        out(spec.out_type, spec.batch / spec.batch_groups * spec.output_features *
                               Product(spec, &ConvSpatialDim::output)),
        expected(spec.out_type, out.count()) {
    lhs.FillSmall(1);
    rhs.FillSmall(2);
    for (auto [index, value] : special) rhs.Set(index % rhs.count(), value);
    Reference(spec, lhs, rhs, expected);
  }
  void Compare() {
    int shown = 0;
    auto same = [](double x, double y) { return x == y || (x != x && y != y); };
    for (int64_t i = 0; i < out.count() && shown < 4; ++i)
      if (!same(out.Get(i).real(), expected.Get(i).real()) ||
          !same(out.Get(i).imag(), expected.Get(i).imag()))
        ADD_FAILURE() << "element " << i << " is " << out.Get(i) << ", not "
                      << expected.Get(i) << (++shown, "");
  }
  TestTensor lhs, rhs, out, expected;
};

void Check(const ConvSpec& spec, const TargetTraits& target = HostTraits(),
           int threads = 0, const Special& special = {}) {
  SCOPED_TRACE(Describe(spec));
  auto kernel = JitKernel::Make(spec, target);
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  Buffers buffers(spec, special);
  kernel->Run(buffers.lhs.data(), buffers.rhs.data(), buffers.out.data(), threads);
  buffers.Compare();
}

TargetTraits Narrow(int bits) {
  TargetTraits traits = HostTraits();
  traits.vector_bits = bits;
  traits.vector_registers = 16;
  return traits;
}

const Spatial kSame9{9, 3, 1, 1, 1};

void CheckHooks(ConvSpec spec, bool operands, const TargetTraits& target = HostTraits());

TEST(ConvolutionTest, Layouts) {
  for (const Layout& layout :
       {kChannelsLast, kChannelsFirst, kFilterGradient, Layout{"N012C", "OI012", "NC012"},
        Layout{"NC012", "012IO", "N012C"}})
    for (auto [in, out] : {std::pair(1, 1), std::pair(3, 20), std::pair(16, 6),
                           std::pair(8, 70), std::pair(17, 33)})
      Check(MakeSpec(2, in, out, {{9, 3, 1, 1, 1}, {11, 3, 1, 1, 1}}, layout));
}

// The input is copied and the output stored by transpose tiles, transposed in
// registers. The last ones are partial.
TEST(ConvolutionTest, TransposeTiles) {
  for (const Layout& layout : {kChannelsFirst, Layout{"NC012", "012IO", "N012C"}})
    for (ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kF64})
      for (auto [in, out] : {std::pair(33, 40), std::pair(16, 20)}) {
        Spatial last = in == 16 ? Spatial{37, 3, 1, 2, 1} : Spatial{20, 5, 1, -3, 3};
        ConvSpec spec = MakeSpec(1, in, out, {kSame9, last}, layout, 1, 1, type);
        for (int bits : {512, 256}) Check(spec, Narrow(bits), 0);
      }
}

TEST(ConvolutionTest, NineByNineWindowStrideFour) {
  Check(MakeSpec(2, 1, 1, {{9, 4}, {9, 4}}, kChannelsFirst));
}

TEST(ConvolutionTest, Windows) {
  for (const Layout& layout : {kChannelsLast, kChannelsFirst})
    for (Spatial s :
         {Spatial{13, 3, 2, 1, 1}, Spatial{13, 3, 2, 0, 1}, Spatial{13, 1, 2},
          Spatial{13, 2, 1, 0, 0, 1, 3}, Spatial{7, 3, 1, 2, 2, 2},
          Spatial{7, 3, 2, 1, 3, 3, 2}, Spatial{13, 3, 1, -2, -1},
          Spatial{9, 3, 1, 1, 1, 2, 1, true}, Spatial{5, 5, 1, 4, 4},
          Spatial{20, 3, 1, 30, 2}, Spatial{7, 3, 1, -1, 3, 2}, Spatial{6, 6}})
      for (auto [in, out] : {std::pair(4, 24), std::pair(5, 3)}) {
        Check(MakeSpec(2, in, out, {s, kSame9}, layout));
        Check(MakeSpec(2, in, out, {kSame9, s}, layout));
      }
}

// Windows that reach past the ends of rows of several tiles, read in place.
TEST(ConvolutionTest, Borders) {
  for (Spatial s :
       {Spatial{30, 3, 1, 1, 1}, Spatial{57, 7, 2, 2, 3}, Spatial{29, 5, 1, 4, 4},
        Spatial{33, 3, 1, 2, 2, 1, 2}, Spatial{40, 4, 3, 3, 0}, Spatial{31, 3, 1, 0, 2},
        Spatial{29, 1, 1, 2, 1}, Spatial{30, 40, 1, 20, 19}, Spatial{30, 3, 1, -2, 1}}) {
    Check(MakeSpec(2, 3, 40, {kSame9, s}, kChannelsLast));
    Check(MakeSpec(1, 5, 70, {s}, kChannelsLast));
    Check(MakeSpec(2, 40, 40, {kSame9, s}, kChannelsLast, 40));
    Check(MakeSpec(1, 32, 32, {s}, kChannelsLast, 8));
    Check(MakeSpec(1, 40, 80, {s}, kChannelsLast, 40));
    CheckHooks(MakeSpec(2, 3, 40, {s, kSame9}, kChannelsLast), false);
  }
  // Padding alone does not cause a copy.
  Spatial s{30, 3, 1, 1, 1};
  for (int64_t groups : {1, 8, 32}) {
    ConvSpec spec = MakeSpec(1, 32, 32, {s, s}, kChannelsLast, groups);
    EXPECT_EQ(PlanConv(spec, HostTraits()).scratch_bytes, 0);
  }
}

TEST(ConvolutionTest, PaddingAndDilationBeyondTheInput) {
  // All taps of some results are on padding, or on both of its sides.
  for (Spatial s : {Spatial{1, 2, 1, 1, 1, 1, 2}, Spatial{2, 3, 1, 4, 4, 1, 5},
                    Spatial{3, 2, 2, 2, 3, 1, 4}, Spatial{20, 3, 1, 25, 25, 1, 21},
                    Spatial{0, 3, 1, 2, 2}})
    for (const Layout& layout : {kChannelsLast, kChannelsFirst}) {
      Check(MakeSpec(2, 9, 40, {s, kSame9}, layout));
      Check(MakeSpec(2, 9, 40, {kSame9, s}, layout));
      Check(MakeSpec(1, 5, 40, {s}, layout));
    }
  // Several taps of a window are on padding.
  for (int64_t stride : {1, 2, 3})
    Check(MakeSpec(1, 6, 40, {{40, 9, stride, 4, 4}}, kChannelsLast));
}

TEST(ConvolutionTest, Ranks) {
  for (const Layout& layout : {kChannelsLast, kChannelsFirst, kFilterGradient}) {
    Check(MakeSpec(3, 5, 20, {}, layout));
    Check(MakeSpec(3, 5, 20, {{30, 4, 2, 1, 2}}, layout));
    Check(MakeSpec(2, 3, 5, {{5, 3, 1, 1, 1}, {6, 2}, {7, 3, 2, 0, 1}}, layout));
  }
}

TEST(ConvolutionTest, OneByOne) {
  for (const Layout& layout : {kChannelsLast, kChannelsFirst}) {
    Check(MakeSpec(2, 30, 40, {{14, 1}, {14, 1}}, layout));
    Check(MakeSpec(2, 30, 40, {{14, 1, 2}, {14, 1, 2}}, layout));
  }
}

TEST(ConvolutionTest, Groups) {
  for (const Layout& layout : {kChannelsLast, kChannelsFirst, kFilterGradient}) {
    Check(MakeSpec(2, 40, 40, {kSame9, kSame9}, layout, 40));
    Check(MakeSpec(2, 20, 40, {kSame9, kSame9}, layout, 20));
    Check(MakeSpec(2, 12, 36, {kSame9, kSame9}, layout, 3));
    Check(MakeSpec(2, 8, 80, {{13, 3, 2, 1, 1}, kSame9}, layout, 2));
    Check(MakeSpec(40, 3, 40, {kSame9, kSame9}, layout, 1, 40));
    Check(MakeSpec(6, 3, 36, {kSame9, kSame9}, layout, 1, 3));
  }
}

// A vector has the features of several groups.
TEST(ConvolutionTest, SmallGroups) {
  for (int64_t group : {2, 4, 8})
    for (int64_t groups : {2, 5, 16}) {
      int64_t features = group * groups;
      for (ElementType type : {ElementType::kF32, ElementType::kBF16})
        Check(MakeSpec(2, features, features, {kSame9, {13, 3, 2, 1, 1}}, kChannelsLast,
                       groups, 1, type));
      ConvSpec one = MakeSpec(2, features, features, {{9, 1}}, kChannelsLast, groups);
      Check(one);
      CheckHooks(one, false);
    }
}

// The convolutions that JAX emits for the gradients of a convolution.
TEST(ConvolutionTest, Gradients) {
  for (int64_t stride : {1, 2}) {
    int64_t out = (14 + 2 - 3) / stride + 1;
    int64_t rest = (14 + 2 - 3) % stride;
    Spatial to_input{out, 3, 1, 1, 1 + rest, stride, 1};
    Check(MakeSpec(2, 24, 8, {to_input, to_input}, {"N012C", "012OI", "N012C"}));
    Check(MakeSpec(2, 24, 8, {to_input, to_input}, {"NC012", "IO012", "NC012"}));
    Spatial to_filter{14, out, 1, 1, 1 - rest, 1, stride};
    Check(MakeSpec(8, 3, 24, {to_filter, to_filter}, {"C012N", "I012O", "012NC"}));
    Check(MakeSpec(8, 3, 24, {to_filter, to_filter}, {"CN012", "IO012", "CN012"}));
  }
}

// Operands that do not fit the second-level cache are cut into slices that fit it.
TEST(ConvolutionTest, GradientOfFilterInSlices) {
  TargetTraits small = HostTraits();
  small.l2_bytes = 48 << 10;
  for (int64_t batch : {2, 20}) {
    Spatial s{22, 20, 1, 1, 0};
    ConvSpec spec = MakeSpec(8, batch, 24, {s, s}, {"C012N", "I012O", "012NC"});
    EXPECT_EQ(PlanConv(spec, small).phase_chunks.size(), 2u);
    Check(spec, small, 2);
    spec = MakeSpec(8, batch, 20, {s, {11, 20, 1, 1, 12, 1, 1}}, kFilterGradient);
    Check(spec, small, 0);
  }
}

TEST(ConvolutionTest, Larger) {
  Spatial s{28, 3, 1, 1, 1};
  for (const Layout& layout : {kChannelsLast, kChannelsFirst})
    Check(MakeSpec(2, 32, 64, {s, s}, layout), HostTraits(), 2);
  TargetTraits small = HostTraits();
  small.l1_bytes = 1 << 10;
  small.l2_bytes = 16 << 10;
  for (const Layout& layout : {kChannelsLast, kChannelsFirst, kFilterGradient})
    Check(MakeSpec(2, 20, 40, {kSame9, kSame9}, layout), small, 0);
}

// Zeros of padding and between dilated elements are multiplied: an infinity or NaN in the
// filter makes the sum NaN, whatever the method of the convolution.
TEST(ConvolutionTest, ZerosMeetInfinities) {
  const double values[] = {kInfinity, -kInfinity, kInfinity - kInfinity};
  int number = 0;
  auto check = [&](const Spatial& s, ElementType type, const Layout& layout) {
    for (auto [in, out, groups] :
         {std::tuple(3, 20, 1), std::tuple(5, 2, 1), std::tuple(16, 48, 1),
          std::tuple(20, 20, 20), std::tuple(16, 16, 4)}) {
      ConvSpec spec = MakeSpec(1, in, out, {{5, 3, 1, 1, 1}, s}, layout, groups, 1, type);
      Check(spec, HostTraits(), 0, {{7, values[number++ % 3]}});
    }
  };
  for (Spatial s :
       {kSame9, Spatial{30, 3, 1, 1, 1}, Spatial{5, 3, 1, 1, 2, 2},
        Spatial{9, 3, 1, 0, 0, 2}, Spatial{6, 1, 1, 0, 1, 2},
        Spatial{7, 4, 1, 2, 2, 3, 2}, Spatial{1, 3, 1, 1, 1}, Spatial{8, 5, 2, 2, 2, 3}})
    for (const Layout& layout : {kChannelsLast, kChannelsFirst})
      check(s, ElementType::kF32, layout);
  for (ElementType type :
       {ElementType::kBF16, ElementType::kF16, ElementType::kF64, ElementType::kC64})
    for (Spatial s : {kSame9, Spatial{5, 3, 1, 1, 2, 2}}) check(s, type, kChannelsLast);
}

// Many row tiles and column tiles, odd numbers of outputs, several threads.
TEST(ConvolutionTest, Transposed) {
  const Spatial same{3, 3, 1, 1, 1};
  int number = 0;
  for (Spatial s : {Spatial{16, 4, 1, 2, 2, 2}, Spatial{33, 3, 1, 1, 2, 2},
                    Spatial{16, 2, 1, 1, 1, 2}, Spatial{20, 16, 1, 11, 12, 8},
                    Spatial{15, 3, 1, 1, 1, 2, 2}, Spatial{13, 5, 2, 3, 1, 3},
                    Spatial{9, 2, 1, 0, 3, 5}, Spatial{16, 3, 4, 2, 1, 2}})
    for (auto [in, out] : {std::pair(24, 70), std::pair(20, 3)}) {
      const Layout& layout = number++ % 2 ? kChannelsFirst : kChannelsLast;
      Check(MakeSpec(2, in, out, {same, s}, layout), HostTraits(), 2);
      Check(MakeSpec(1, in, out, {s, same}, layout), HostTraits(), 2,
            {{12345, kInfinity}});
      ConvSpec spec =
          MakeSpec(1, in, out, {same, s}, kChannelsLast, 1, 1, ElementType::kBF16);
      spec.out_type = ElementType::kF32;
      Check(spec, HostTraits(), 2);
      CheckHooks(MakeSpec(1, in, out, {same, s}, layout), false);
    }
}

TEST(ConvolutionTest, NarrowerVectors) {
  for (int bits : {256, 128})
    for (const Layout& layout : {kChannelsLast, kChannelsFirst, kFilterGradient})
      Check(MakeSpec(2, 5, 20, {kSame9, {8, 3, 2, 1, 1}}, layout), Narrow(bits));
}

TEST(ConvolutionTest, Empty) {
  for (const Layout& layout : {kChannelsLast, kChannelsFirst}) {
    Check(MakeSpec(0, 3, 4, {kSame9}, layout));
    Check(MakeSpec(2, 0, 4, {kSame9}, layout));
    Check(MakeSpec(2, 3, 0, {kSame9}, layout));
    Check(MakeSpec(2, 3, 4, {{0, 3, 1, 2, 2}}, layout));
    Check(MakeSpec(2, 3, 4, {{2, 3}}, layout));
  }
}

// Random convolutions. The environment can set the seed and the number of cases.
TEST(ConvolutionTest, RandomSpecs) {
  const char* seed = std::getenv("TENON_TEST_SEED");
  const char* count = std::getenv("TENON_TEST_COUNT");
  std::mt19937 random(seed ? std::atoi(seed) : 1);
  auto upto = [&](int64_t n) { return int64_t(random() % n) + 1; };
  for (int i = 0; i < (count ? std::atoi(count) : 30); ++i) {
    std::vector<Spatial> spatial(random() % 4);
    for (Spatial& s : spatial) {
      s.input = upto(12), s.window = upto(4);
      if (random() % 3 == 0) s.stride = upto(3);
      if (random() % 2 == 0) s.low = upto(6) - 3;
      if (random() % 2 == 0) s.high = upto(6) - 3;
      if (random() % 3 == 0) s.lhs_dilation = upto(3);
      if (random() % 3 == 0) s.rhs_dilation = upto(3);
      s.reversal = random() % 4 == 0;
    }
    auto shuffled = [&](std::string order) {
      std::shuffle(order.begin(), order.end(), random);
      return order;
    };
    Layout layout{shuffled("NC012"), shuffled("IO012"), shuffled("NC012")};
    if (random() % 2) layout = random() % 2 ? kChannelsLast : kFilterGradient;
    int64_t groups = random() % 2 ? 1 : upto(20);
    bool batch_groups = random() % 2;
    int64_t feature_groups = batch_groups ? 1 : groups;
    if (!batch_groups) groups = 1;
    const ElementType types[] = {ElementType::kF32, ElementType::kF32, ElementType::kBF16,
                                 ElementType::kF64, ElementType::kS8,  ElementType::kC64};
    ConvSpec spec =
        MakeSpec(groups * upto(4), feature_groups * upto(9),
                 groups * feature_groups * upto(random() % 2 ? 3 : 40), spatial, layout,
                 feature_groups, groups, types[random() % 6]);
    TargetTraits traits = Narrow(128 << random() % 3);
    traits.vector_registers = random() % 2 ? 16 : 32;
    traits.shared_tiles = random() % 4 != 0;
    traits.l1_bytes = 1 << (10 + random() % 6);
    traits.l2_bytes = 1 << (12 + random() % 9);
    SCOPED_TRACE("case " + std::to_string(i));
    Special special;
    if (HasZeroProducts(spec.out_type) && random() % 2)
      for (int i = 0; i < 2; ++i)
        special.push_back({random() % 5000, random() % 3 ? kInfinity : 0 * kInfinity});
    Check(spec, traits, static_cast<int>(random() % 3), special);
    if (spec.lhs_type == ElementType::kF32) CheckHooks(spec, random() % 2, traits);
    if (HasFailure()) return;
  }
}

class ConvolutionTypeTest : public testing::TestWithParam<ElementType> {};

TEST_P(ConvolutionTypeTest, Kinds) {
  for (const Layout& layout : {kChannelsLast, kChannelsFirst, kFilterGradient}) {
    Check(MakeSpec(2, 5, 20, {kSame9, {8, 3, 2, 1, 1}}, layout, 1, 1, GetParam()));
    Check(MakeSpec(2, 40, 40, {kSame9, kSame9}, layout, 40, 1, GetParam()));
    Check(MakeSpec(1, 2, 3, {kSame9, {5, 3, 1, 1, 1, 2}}, layout, 1, 1, GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvolutionTypeTest,
                         testing::Values(ElementType::kPred, ElementType::kS4,
                                         ElementType::kU4, ElementType::kS8,
                                         ElementType::kU16, ElementType::kS32,
                                         ElementType::kU64, ElementType::kF16,
                                         ElementType::kBF16, ElementType::kF64,
                                         ElementType::kC64, ElementType::kC128),
                         [](const auto& info) {
                           std::string name(ElementTypeName(info.param));
                           for (char& c : name)
                             if (!std::isalnum(c)) c = '_';
                           return name;
                         });

// Load hooks negate the operands; the store hook negates the result and stores it by
// index.
void CheckHooks(ConvSpec spec, bool operands, const TargetTraits& target) {
  SCOPED_TRACE(Describe(spec));
  spec.has_store = true;
  spec.has_load_lhs = spec.has_load_rhs = operands;
  KernelPlan plan = PlanConv(spec, target);
  int rank = static_cast<int>(spec.spatial.size());
  llvm::SmallVector<int64_t, 8> lhs_strides = {spec.lhs_batch_stride}, rhs_strides,
                                out_strides = {spec.out_batch_stride};
  for (const ConvSpatialDim& dim : spec.spatial) {
    lhs_strides.push_back(dim.lhs_stride);
    rhs_strides.push_back(dim.rhs_stride);
    out_strides.push_back(dim.out_stride);
  }
  lhs_strides.push_back(spec.lhs_feature_stride);
  rhs_strides.push_back(spec.rhs_input_stride);
  rhs_strides.push_back(spec.rhs_output_stride);
  out_strides.push_back(spec.out_feature_stride);
  auto emit = [&](llvm::IRBuilder<>& b, int phase, const ContractPointers& pointers,
                  llvm::Value* chunk, llvm::Value*) {
    auto address = [&](const VectorAccess& access, llvm::ArrayRef<int64_t> strides,
                       llvm::Value* base) {
      llvm::Value* offset = b.getInt64(0);
      EXPECT_EQ(access.index.size(), strides.size());
      for (int i = 0; i < rank + 2; ++i)
        offset = AddI(b, offset, MulI(b, access.index[i], strides[i]));
      return OffsetPointer(b, base, offset, 4);
    };
    ContractHooks hooks;
    hooks.store = [&](llvm::IRBuilder<>&, const VectorAccess& access,
                      const ElementValue& value) {
      ElementValue result = value;
      result.re = b.CreateFNeg(value.re);
      StoreElements(b, result, address(access, out_strides, pointers.out), access.lanes,
                    out_strides[access.lane_dim] * access.lane_step, access.mask);
      return OkStatus();
    };
    auto load = [&](llvm::SmallVector<int64_t, 8> strides, llvm::Value* base) {
      return
          [&b, strides, base, address](
              llvm::IRBuilder<>&, const VectorAccess& access) -> StatusOr<ElementValue> {
            ElementValue value =
                LoadElements(b, ElementType::kF32, address(access, strides, base),
                             access.lanes, strides[access.lane_dim], access.mask);
            value.re = b.CreateFNeg(value.re);
            return value;
          };
    };
    if (operands) {
      hooks.load_lhs = load(lhs_strides, pointers.lhs);
      hooks.load_rhs = load(rhs_strides, pointers.rhs);
    }
    return EmitConvPhase(b, spec, plan, phase, pointers, chunk, hooks);
  };
  auto kernel = JitKernel::Make(plan, emit);
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  Buffers buffers(spec);
  for (int64_t i = 0; i < buffers.out.count(); ++i)
    buffers.expected.Set(i, -buffers.expected.Get(i));
  kernel->Run(buffers.lhs.data(), buffers.rhs.data(), buffers.out.data(), 0);
  buffers.Compare();
}

TEST(ConvolutionTest, Hooks) {
  for (bool operands : {false, true})
    for (const Layout& layout : {kChannelsLast, kChannelsFirst, kFilterGradient}) {
      CheckHooks(MakeSpec(2, 5, 20, {kSame9, {8, 3, 2, 1, 1}}, layout), operands);
      CheckHooks(MakeSpec(2, 5, 3, {kSame9, {20, 3, 1, 0, 1}}, layout), operands);
      CheckHooks(MakeSpec(2, 30, 40, {{14, 1}, {14, 1}}, layout), operands);
      CheckHooks(MakeSpec(2, 40, 40, {kSame9, kSame9}, layout, 40), operands);
      CheckHooks(MakeSpec(2, 20, 40, {kSame9, kSame9}, layout, 20), operands);
      CheckHooks(MakeSpec(40, 3, 40, {kSame9, kSame9}, layout, 1, 40), operands);
      CheckHooks(MakeSpec(2, 4, 8, {{9, 3, 1, 1, 1, 2, 1, true}}, layout), operands);
    }
}

}  // namespace
}  // namespace tenon::codegen
