// Compiling and running programs on a plugin.
#include "tenon/pjrt/cpp/executable.hpp"

#include <thread>

#include "tenon/pjrt/cpp/testing.h"

namespace pjrt::testing {
namespace {

using Floats = std::vector<float>;

class ExecutableTest : public PluginTest {
 protected:
  Buffer upload(const Floats& values) {
    return client().to_device(values, {int64_t(values.size())}).value();
  }
  static Floats host(const Buffer& buffer) {
    return buffer.to_host<float>().get().value();
  }
};

TEST_F(ExecutableTest, RunsAndDescribesItself) {
  Executable add = client().compile(mlir(kAdd)).value();
  EXPECT_FALSE(add.name().empty());
  EXPECT_EQ(add.num_outputs(), 1u);
  EXPECT_EQ(add.outputs().value(), (std::vector<ArrayShape>{{ElementType::f32, {2, 3}}}));
  EXPECT_EQ(add.devices()->size(), 1u);
  Result<NamedValues> costs = add.cost_analysis();
  if (costs && find(*costs, "flops")) {
    EXPECT_EQ(find(*costs, "flops")->number(), 6);
  }
  if (Result<ProgramMemory> memory = add.memory()) {
    EXPECT_EQ(memory->outputs, 24);
  }
  Buffer x = client().to_device(Floats{1, 2, 3, 4, 5, 6}, {2, 3}).value();
  std::vector<Buffer> results = add(x, x).value();
  EXPECT_EQ(host(results[0]), (Floats{2, 4, 6, 8, 10, 12}));
  auto [again] = add.call<1>(results[0], x).value();
  EXPECT_EQ(host(again), (Floats{3, 6, 9, 12, 15, 18}));
  Argument list[] = {x, x};
  Launched launched = add.launch(list).value();
  EXPECT_TRUE(launched.done.get());
  EXPECT_EQ(host(launched.outputs[0]), (Floats{2, 4, 6, 8, 10, 12}));
}

TEST_F(ExecutableTest, OnlyDonatedArgumentsAreConsumed) {
  Executable program = client().compile(mlir(kSumAndDifference)).value();
  Buffer x = upload({1, 2, 3, 4}), y = upload({1, 1, 1, 1});
  auto [sum, difference] = program.call<2>(x, y).value();
  EXPECT_EQ(host(x), (Floats{1, 2, 3, 4})) << "not donated";
  EXPECT_EQ(host(sum), (Floats{2, 3, 4, 5}));

  auto [sum2, difference2] = program.call<2>(donate(x), y).value();
  EXPECT_EQ(host(sum2), (Floats{2, 3, 4, 5}));
  EXPECT_EQ(host(difference2), (Floats{0, 1, 2, 3}));
  EXPECT_TRUE(x.is_donated());
  Result<std::vector<Buffer>> late = program(x, y);
  EXPECT_EQ(late.error().code(), PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(late.error().message().substr(late.error().message().find(':')),
            ": argument 0: the buffer was donated to an execution, which may have "
            "overwritten it");
  EXPECT_EQ(x.dims().error().code(), PJRT_Error_Code_FAILED_PRECONDITION);

  // Also an argument that the program does not alias.
  ASSERT_TRUE(program(sum, donate(std::move(y))));
  EXPECT_FALSE(y);
  EXPECT_EQ(program(donate(sum), sum).error().message().substr(0, 1), "'");
  EXPECT_TRUE(sum.dims()) << "a refused call consumes nothing";
  // A loop that updates its state in place.
  for (int i = 0; i < 3; ++i) {
    Buffer one = upload({1, 1, 1, 1});
    auto [next, unused] = program.call<2>(donate(sum), one).value();
    sum = std::move(next);
  }
  EXPECT_EQ(host(sum), (Floats{5, 6, 7, 8}));
}

TEST_F(ExecutableTest, WrongCallsAreErrors) {
  Executable add = client().compile(mlir(kAdd)).value();
  Buffer x = client().to_device(Floats(6), {2, 3}).value();
  EXPECT_EQ(add(x).error().code(), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(add.call<2>(x, x).error().code(), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(add(x, upload({1, 2})).error().code(), PJRT_Error_Code_INVALID_ARGUMENT);
  Client other = plugin().create_client().value();
  Buffer foreign = other.to_device(Floats(6), {2, 3}).value();
  EXPECT_NE(add(x, foreign).error().message().find("argument 1 belongs to another"),
            std::string_view::npos);
  EXPECT_EQ(add(x, Buffer()).error().code(), PJRT_Error_Code_FAILED_PRECONDITION);
}

TEST_F(ExecutableTest, WrongProgramsAreErrors) {
  Result<Executable> broken = client().compile(mlir("func.func @main("));
  ASSERT_FALSE(broken);
  EXPECT_NE(std::string(broken.error().what()).find("PJRT_Client_Compile: "),
            std::string::npos);
  EXPECT_EQ(broken.error().plugin(), plugin_path());
  EXPECT_FALSE(client().compile(Program{kAdd, "nonsense"}));
  EXPECT_FALSE(client().compile(mlir(kAdd), {.replicas = 0}));
  EXPECT_FALSE(client().deserialize("nonsense"));
}

TEST_F(ExecutableTest, SerializesAndShowsItself) {
  Executable add = client().compile(mlir(kAdd)).value();
  Result<std::string> bytes = add.serialize();
  ASSERT_TRUE(bytes) << bytes.error().what();
  Executable loaded = client().deserialize(*bytes).value();
  Buffer x = client().to_device(Floats{1, 2, 3, 4, 5, 6}, {2, 3}).value();
  EXPECT_EQ(host(loaded(x, x).value()[0]), (Floats{2, 4, 6, 8, 10, 12}));
  auto text = add.optimized_program();
  ASSERT_TRUE(text) << text.error().what();
  EXPECT_FALSE(text->first.empty());
  EXPECT_TRUE(text->second == "mlir" || text->second.starts_with("hlo")) << text->second;
  if (Result<std::string> fingerprint = add.fingerprint()) {
    EXPECT_FALSE(fingerprint->empty());
  }
}

// Tenon's plugin without a compiler, beside the one with it.
TEST_F(ExecutableTest, RunsOnAPluginWithoutCompiler) {
  std::string path = plugin_path();
  size_t name = path.rfind("tenon_cpu.so");
  if (name == std::string::npos) GTEST_SKIP() << "not Tenon's plugin";
  path.replace(name, std::string::npos, "tenon_runtime.so");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not built";
  std::string bytes = client().compile(mlir(kAdd))->serialize().value();
  Client small = Plugin::load(path).value().create_client().value();
  Executable add = small.deserialize(bytes).value();
  Buffer x = small.to_device(Floats(6, 1), {2, 3}).value();
  EXPECT_EQ(host(add(x, x).value()[0]), Floats(6, 2));
  EXPECT_EQ(small.compile(mlir(kAdd)).error().code(), PJRT_Error_Code_UNIMPLEMENTED);
}

TEST_F(ExecutableTest, RunsOnSeveralDevices) {
  Result<Client> both = two_devices();
  if (!both || both->addressable_devices()->size() < 2) {
    GTEST_SKIP() << "the plugin has one device";
  }
  Executable add = both->compile(mlir(kAdd), {.replicas = 2, .devices = {1, 0}}).value();
  std::vector<Device> devices = add.devices().value();
  ASSERT_EQ(devices.size(), 2u);
  std::vector<Buffer> inputs;
  for (size_t d = 0; d < 2; ++d) {
    Floats values(6, float(d + 1));
    inputs.push_back(both->to_device(values, {2, 3}, {.device = devices[d]}).value());
  }
  std::vector<std::vector<Argument>> arguments = {{inputs[0], inputs[0]},
                                                  {inputs[1], inputs[1]}};
  auto results = add.execute_on_all(arguments).value();
  EXPECT_EQ(host(results[0][0]), Floats(6, 2));
  EXPECT_EQ(host(results[1][0]), Floats(6, 4));
  arguments[1] = {inputs[1], inputs[0]};
  EXPECT_NE(std::string(add.execute_on_all(arguments).error().what())
                .find("argument 1 for device 1 of the program is on "),
            std::string::npos);
  arguments[1].pop_back();
  EXPECT_FALSE(add.execute_on_all(arguments));
  arguments.pop_back();
  EXPECT_FALSE(add.execute_on_all(arguments));
  arguments.push_back({inputs[1], donate(inputs[0])});
  EXPECT_FALSE(add.execute_on_all(arguments));
  EXPECT_TRUE(inputs[0]);
}

TEST_F(ExecutableTest, PortableProgramsRunWhereTheirArgumentsAre) {
  Result<Client> both = two_devices();
  if (!both || both->addressable_devices()->size() < 2) {
    GTEST_SKIP() << "the plugin has one device";
  }
  Executable add = both->compile(mlir(kAdd), {.portable = true}).value();
  Device second = both->addressable_devices().value()[1];
  Buffer x = both->to_device(Floats(6, 1), {2, 3}, {.device = second}).value();
  Argument list[] = {x, x};
  std::vector<Buffer> results = add.execute(list, {.device = second}).value();
  EXPECT_EQ(*results[0].device(), second);
  EXPECT_EQ(host(results[0]), Floats(6, 2));
}

TEST_F(ExecutableTest, RunsFromManyThreads) {
  Executable add = client().compile(mlir(kAdd)).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Buffer x = client().to_device(Floats(6, float(t)), {2, 3}).value();
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(host(add(x, x).value()[0]), Floats(6, float(2 * t)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ExecutableTest, MoreArgumentsThanFitOnTheStack) {
  std::string parameters, sum = "%x0";
  std::string body;
  for (int i = 0; i < 100; ++i) {
    parameters += (i ? ", %x" : "%x") + std::to_string(i) + ": tensor<4xf32>";
    if (i == 0) continue;
    std::string next = "%s" + std::to_string(i);
    body += next + " = stablehlo.add " + sum + ", %x" + std::to_string(i) +
            " : tensor<4xf32>\n";
    sum = next;
  }
  std::string text = "func.func public @main(" + parameters + ") -> tensor<4xf32> {\n" +
                     body + "return " + sum + " : tensor<4xf32>\n}";
  Executable program = client().compile(mlir(text)).value();
  Buffer x = upload({1, 2, 3, 4});
  std::vector<Argument> arguments(100, x);
  std::vector<Buffer> results = program.execute(arguments).value();
  EXPECT_EQ(host(results[0]), (Floats{100, 200, 300, 400}));
}

}  // namespace
}  // namespace pjrt::testing
