#include "tenon/compiler/compile.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "llvm/ADT/StringExtras.h"
#include "tenon/executable/loader.h"

namespace tenon::compiler {
namespace {

// Runs the chunks of parallel loops one after another, and counts the loops.
thread_local int parallel_loops = 0;
void SerialParallelFor(RunContext* context, ParallelBody body, void* env, int64_t count) {
  ++parallel_loops;
  // In reverse, because the order of chunks must not matter.
  for (int64_t chunk = count; chunk-- > 0;) body(context, env, chunk);
}

struct alignas(64) Block {
  float values[1024];
};

// Compiles `code` and runs it on f32 arguments. Results have the number of elements of
// their type.
StatusOr<std::vector<std::vector<float>>> RunProgram(
    const std::string& code, const std::vector<std::vector<float>>& arguments,
    const CompilerConfig& config = {}) {
  TENON_ASSIGN_OR_RETURN(Image image, Compile({code, {}}, config));
  const CodeObject& object = image.code_objects[0];
  Machine machine{object.architecture, {object.features.begin(), object.features.end()}};
  TENON_ASSIGN_OR_RETURN(auto loaded, LoadImage(std::move(image), machine));
  const ExecutableInfo& info = loaded->info();
  auto aligned = [](int64_t bytes) {
    return std::vector<Block>(bytes / sizeof(Block) + 1);
  };
  std::vector<std::vector<Block>> storage;
  std::vector<RunBuffer> args, results;
  for (const auto& argument : arguments) {
    storage.push_back(aligned(argument.size() * 4));
    std::copy(argument.begin(), argument.end(), storage.back()[0].values);
    args.push_back({storage.back().data(), nullptr});
  }
  for (const ImageTensor& result : info.results) {
    storage.push_back(aligned(result.ByteSize()));
    results.push_back({storage.back().data(), nullptr});
  }
  for (const ImageAlias& alias : info.aliases)
    std::memcpy(results[alias.result].data, args[alias.parameter].data,
                info.parameters[alias.parameter].ByteSize());
  auto arena = aligned(loaded->code().arena_bytes);
  RuntimeTable table{sizeof(RuntimeTable), SerialParallelFor, nullptr, nullptr, nullptr};
  RunContext context{};
  context.struct_size = sizeof(context);
  context.table = &table;
  context.constants = loaded->constants();
  context.num_threads = 1;
  if (int32_t code = loaded->entry()(&context, args.data(), results.data(), arena.data()))
    return Internal("the program returned " + std::to_string(code));
  std::vector<std::vector<float>> values;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto* data = static_cast<const float*>(results[i].data);
    values.emplace_back(data, data + info.results[i].ByteSize() / 4);
  }
  return values;
}

std::vector<float> Iota(int64_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST(Compile, RunsAnElementwiseProgram) {
  auto results = RunProgram(R"(
    func.func @main(%x: tensor<37xf32>, %y: tensor<37xf32>) -> tensor<37xf32> {
      %0 = stablehlo.multiply %x, %y : tensor<37xf32>
      %1 = stablehlo.subtract %0, %y : tensor<37xf32>
      return %1 : tensor<37xf32>
    })",
                            {Iota(37), Iota(37)});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (int i = 0; i < 37; ++i) EXPECT_EQ((*results)[0][i], i * i - i);
}

// 2^20 elements are divided into chunks, which SerialParallelFor runs in reverse order.
TEST(Compile, ChunksAreIndependent) {
  parallel_loops = 0;
  auto results = RunProgram(R"(
    func.func @main(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
      %0 = stablehlo.exponential %x : tensor<1024x1024xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
      %2 = stablehlo.transpose %x, dims = [1, 0]
          : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      return %2, %1 : tensor<1024x1024xf32>, tensor<1024xf32>
    })",
                            {std::vector<float>(1 << 20, 0.0f)});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_GE(parallel_loops, 2);
  for (float sum : (*results)[1]) EXPECT_EQ(sum, 1024.0f);
}

TEST(Compile, LoopsUpdateTheirStateInPlace) {
  const char* code = R"(
    func.func @main(%x: tensor<100xf32> {tf.aliasing_output = 0 : i32}) -> tensor<100xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<100> : tensor<i32>
      %seven = stablehlo.constant dense<7.0> : tensor<1xf32>
      %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<100xf32>
      cond {
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %old = stablehlo.dynamic_slice %a, %i, sizes = [1]
            : (tensor<100xf32>, tensor<i32>) -> tensor<1xf32>
        %new = stablehlo.add %old, %seven : tensor<1xf32>
        %b = stablehlo.dynamic_update_slice %a, %new, %i
            : (tensor<100xf32>, tensor<1xf32>, tensor<i32>) -> tensor<100xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %b : tensor<i32>, tensor<100xf32>
      }
      return %0#1 : tensor<100xf32>
    })";
  auto results = RunProgram(code, {Iota(100)});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (int i = 0; i < 100; ++i) EXPECT_EQ((*results)[0][i], i + 7);
}

TEST(Compile, ResultsMayBePermutedArguments) {
  auto results = RunProgram(R"(
    func.func @main(%x: tensor<64xf32> {tf.aliasing_output = 0 : i32},
                    %y: tensor<64xf32> {tf.aliasing_output = 1 : i32})
        -> (tensor<64xf32>, tensor<64xf32>) {
      return %y, %x : tensor<64xf32>, tensor<64xf32>
    })",
                            {std::vector<float>(64, 1.0f), std::vector<float>(64, 2.0f)});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ((*results)[0], std::vector<float>(64, 2.0f));
  EXPECT_EQ((*results)[1], std::vector<float>(64, 1.0f));
}

// The result that overwrites a donated argument must be computed after the other one has
// read it.
TEST(Compile, DonatedArgumentsAreReadBeforeTheyAreOverwritten) {
  auto results = RunProgram(R"(
    func.func @main(%x: tensor<64xf32> {tf.aliasing_output = 0 : i32})
        -> (tensor<64xf32>, tensor<64xf32>) {
      %0 = stablehlo.add %x, %x : tensor<64xf32>
      %1 = stablehlo.reverse %x, dims = [0] : tensor<64xf32>
      return %0, %1 : tensor<64xf32>, tensor<64xf32>
    })",
                            {Iota(64)});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ((*results)[0][i], 2 * i);
    EXPECT_EQ((*results)[1][i], 63 - i);
  }
}

TEST(Compile, SeveralThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::vector<Status> statuses(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &statuses] {
      std::string n = std::to_string(16 + t);
      auto results = RunProgram("func.func @main(%x: tensor<" + n + "xf32>) -> tensor<" +
                                    n + "xf32> {\n  %0 = stablehlo.add %x, %x : tensor<" +
                                    n + "xf32>\n  return %0 : tensor<" + n + "xf32>\n}",
                                {Iota(16 + t)});
      if (!results.ok())
        statuses[t] = results.status();
      else if ((*results)[0][15] != 30.0f)
        statuses[t] = Internal("wrong result");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(Compile, EqualProgramsGiveEqualImages) {
  const char* code = R"(
    func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
          : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %1 = stablehlo.tanh %0 : tensor<8x8xf32>
      return %1 : tensor<8x8xf32>
    })";
  auto a = Compile({code, {}}, {}), b = Compile({code, {}}, {});
  ASSERT_TRUE(a.ok()) << a.status().ToString();
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(a->info.fingerprint, b->info.fingerprint);
  EXPECT_EQ(a->code_objects[0].bytes, b->code_objects[0].bytes);
}

// Target machines are reused, and a machine keeps decisions of its first optimization
// level. The kernel of this convolution divides 64-bit integers, which LLVM expands at
// some levels only.
TEST(Compile, CodeDoesNotDependOnEarlierCompilations) {
  const char* code = R"(
    func.func @main(%x: tensor<2x14x14x32xf32>, %w: tensor<3x3x32x48xf32>) -> tensor<2x27x27x48xf32> {
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x14x14x32xf32>, tensor<3x3x32x48xf32>) -> tensor<2x27x27x48xf32>
      return %0 : tensor<2x27x27x48xf32>
    })";
  CompilerConfig config;
  config.target = "x86_64:znver4";
  std::set<std::string> fingerprints[2];
  for (int attempt = 0; attempt < 12; ++attempt) {
    config.num_threads = 1 + attempt % 2;
    auto image = Compile({code, {}}, config);
    ASSERT_TRUE(image.ok()) << image.status().ToString();
    fingerprints[attempt % 2].insert(image->info.fingerprint);
  }
  // Threads share the functions of a long kernel, so their number matters.
  for (const auto& of_threads : fingerprints) EXPECT_EQ(of_threads.size(), 1u);
}

// Ten times the layers give ten times the code, with as many kernels, in functions of the
// same length. So no phase does more work per op, and neither does LLVM, whose passes
// take more than linear time in the length of a function. bench/compile_time.py measures
// the times.
TEST(Compile, WorkGrowsWithTheProgram) {
  struct Size {
    std::map<std::string, int64_t> lines;  // by phase
    int64_t kernels = 0, longest_function = 0;
  };
  auto size_of = [](int layers) {
    std::string code =
        "func.func @main(%0: tensor<4x16xf32>, %w: tensor<16x16xf32>) -> "
        "tensor<4x16xf32> {\n";
    for (int layer = 0; layer < layers; ++layer) {
      std::string x = "%" + std::to_string(2 * layer);
      std::string y = "%" + std::to_string(2 * layer + 1);
      code += y + " = stablehlo.dot_general " + x +
              ", %w, contracting_dims = [1] x [0] "
              ": (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>\n%" +
              std::to_string(2 * layer + 2) + " = stablehlo.tanh " + y +
              " : tensor<4x16xf32>\n";
    }
    code += "return %" + std::to_string(2 * layers) + " : tensor<4x16xf32>\n}";
    Size size;
    CompilerConfig config;
    config.num_threads = 1;
    config.on_phase = [&](std::string_view phase, std::string_view text) {
      int64_t in_function = 0;
      for (std::string_view line : llvm::split(llvm::StringRef(text), '\n')) {
        ++size.lines[std::string(phase)];
        size.kernels += line.starts_with("  tenon.kernel");
        in_function = line.starts_with("define ") ? 1 : in_function + (in_function > 0);
        size.longest_function = std::max(size.longest_function, in_function);
        if (line == "}") in_function = 0;
      }
    };
    auto image = Compile({code, {}}, config);
    EXPECT_TRUE(image.ok()) << image.status().ToString();
    return size;
  };
  Size few = size_of(300), many = size_of(3000);
  EXPECT_GE(few.lines.size(), 6u);
  for (auto [phase, lines] : few.lines)
    EXPECT_LE(many.lines[phase], 10.5 * lines) << phase;
  EXPECT_GT(few.kernels, 0);
  EXPECT_EQ(many.kernels, few.kernels);
  EXPECT_GT(few.longest_function, 256);
  EXPECT_LE(many.longest_function, few.longest_function + 16);
}

// An error for an unsupported op names the op, its type and its source location.
TEST(Compile, UnsupportedOpsAreNamed) {
  auto result = Compile({R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @nobody_knows(%x) : (tensor<4xf32>) -> tensor<4xf32>
          loc("model.py":12:3)
      return %0 : tensor<4xf32>
    })",
                         {}},
                        {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kUnimplemented);
  std::string message(result.status().message());
  EXPECT_NE(message.find("nobody_knows"), std::string::npos) << message;
  EXPECT_NE(message.find("tensor<4xf32>"), std::string::npos) << message;
  EXPECT_NE(message.find("model.py"), std::string::npos) << message;
}

TEST(Compile, DynamicShapesAreRefused) {
  auto result = Compile({"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return "
                         "%x : tensor<?xf32> }",
                         {}},
                        {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kUnimplemented);
}

TEST(Compile, RejectsMalformedPrograms) {
  for (const char* code : {"", "not a program", "func.func @main(", "ML\xefR"}) {
    auto result = Compile({code, {}}, {});
    ASSERT_FALSE(result.ok()) << code;
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument)
        << result.status().ToString();
  }
}

// One image has code for each target. The rest of the image is the same for all targets.
TEST(Compile, SeveralTargetsGiveOneImage) {
  const char* code = R"(
    func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
      %0 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
      %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %1 : tensor<8x8xf32>
    })";
  CompilerConfig one;
  one.target = "x86-64-v2";
  const auto single = Compile({code, {}}, one);
  ASSERT_TRUE(single.ok()) << single.status().ToString();
  CompilerConfig config;
  config.target = "x86-64-v2,aarch64:neoverse-n1,x86-64-v2,x86_64:x86-64-v3,aarch64";
  const auto image = Compile({code, {}}, config);
  ASSERT_TRUE(image.ok()) << image.status().ToString();
  std::vector<std::string> targets;
  for (const CodeObject& object : image->code_objects) {
    targets.push_back(object.target);
    EXPECT_EQ(object.constants_offset, 0u);  // shared by all targets
    EXPECT_EQ(object.constants_size, image->constants.size());
  }
  EXPECT_EQ(targets, (std::vector<std::string>{"x86_64:x86-64-v2", "aarch64:neoverse-n1",
                                               "x86_64:x86-64-v3", "aarch64:generic"}));
  EXPECT_EQ(image->code_objects[0].bytes, single->code_objects[0].bytes);
  EXPECT_NE(image->info.fingerprint, single->info.fingerprint);
  EXPECT_TRUE(Image::Deserialize(image->Serialize()).ok());
}

TEST(Compile, UnknownTargetsAreRefused) {
  const char* code =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }";
  CompilerConfig config;
  for (const char* target : {"no-such-target", "aarch64:znver4", "x86_64:", "", "host,",
                             "no-such-architecture:generic"}) {
    config.target = target;
    const Status status = Compile({code, {}}, config).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << target;
    EXPECT_NE(status.message().find("unknown target '"), std::string_view::npos);
  }
  config.target = "x86_64,aarch64";
  config.features = "+avx2";
  const Status status = Compile({code, {}}, config).status();
  EXPECT_EQ(status.message(),
            "unknown feature '+avx2' of aarch64: use LLVM's names of features, with + or "
            "- before each");
}

}  // namespace
}  // namespace tenon::compiler
