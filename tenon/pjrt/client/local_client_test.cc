// Tests executions, donation and errors.
#include "tenon/pjrt/client/local_client.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <thread>

#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

using ::tenon::testing::ImageOf;
using ::tenon::testing::TensorOf;

ExecuteOptions NotDonating(const int64_t* index) {
  ExecuteOptions options;
  options.non_donatable_input_indices = {index, 1};
  return options;
}

class LocalClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<LocalClient> client_ = MakeClient();
};

TEST_F(LocalClientTest, CheapProgramsAreDoneOnReturn) {
  auto program = Compile(*client_, AddOneImage(false));
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  Executed run = Execute(*program, {in.get()});
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  EXPECT_TRUE(run.done.IsReady());
  EXPECT_TRUE(run.outputs[0]->ReadyEvent().IsReady());
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{2, 3, 4, 5}));
  EXPECT_FALSE(in->IsDeleted());
  EXPECT_EQ(run.outputs[0]->memory()->kind(), "device");
}

TEST_F(LocalClientTest, ExpensiveProgramsRunElsewhere) {
  Image image = AddOneImage(false, 1e9);
  auto program = Compile(*client_, std::move(image));
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  Executed run = Execute(*program, {in.get()});
  ASSERT_TRUE(run.status.ok());
  EXPECT_TRUE(run.done.Await().ok());
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{2, 3, 4, 5}));
}

// Runs of a program wait until this is true.
std::atomic<bool> gate{false};
std::atomic<int> runs_at_gate{0};
int32_t WaitAtGate(RunContext*, const RunBuffer*, const RunBuffer* results, void*) {
  ++runs_at_gate;
  while (!gate.load()) std::this_thread::yield();
  static_cast<int32_t*>(results[0].data)[0] = 7;
  return 0;
}
Image GateImage(double nanoseconds) {
  Image image = ImageOf(WaitAtGate);
  image.info.results = {TensorOf(ElementType::kS32, {1})};
  image.code_objects[0].estimated_nanoseconds = nanoseconds;
  return image;
}
constexpr double kUnknownTime = std::numeric_limits<double>::infinity();

TEST_F(LocalClientTest, ProgramsOfUnknownLengthDoNotBlockTheCaller) {
  gate = false;
  auto program = Compile(*client_, GateImage(kUnknownTime));
  Executed run = Execute(*program, {});
  ASSERT_TRUE(run.status.ok());
  // Neither Help, IsReady nor starting a copy blocks the caller.
  EXPECT_FALSE(run.done.IsReady());
  Event ready = run.outputs[0]->ReadyEvent();
  ready.Help();
  EXPECT_FALSE(ready.IsReady());
  int32_t value = 0;
  Event copied = run.outputs[0]->ToHost(&value, sizeof(value), std::nullopt);
  EXPECT_FALSE(copied.IsReady());
  gate = true;
  EXPECT_TRUE(copied.Await().ok());
  EXPECT_EQ(value, 7);
}

std::atomic<std::thread::id> thread_of_run;
int32_t RecordThread(RunContext*, const RunBuffer*, const RunBuffer*, void*) {
  thread_of_run = std::this_thread::get_id();
  return 0;
}

TEST_F(LocalClientTest, WaitingThreadRunsShortProgram) {
  // There is one thread for executions, and it is busy.
  client_ = MakeClient({{"threads", int64_t{1}}});
  gate = false;
  runs_at_gate = 0;
  auto busy = Compile(*client_, GateImage(kUnknownTime));
  Executed first = Execute(*busy, {});
  while (runs_at_gate.load() == 0) std::this_thread::yield();

  Image image = ImageOf(RecordThread);
  image.info.results = {TensorOf(ElementType::kS32, {1})};
  image.code_objects[0].estimated_nanoseconds = 500e3;
  auto program = Compile(*client_, std::move(image));
  Executed run = Execute(*program, {});
  int called = 0;
  run.done.OnReady([&](const Status&) { ++called; });
  EXPECT_FALSE(run.done.IsReady());
  EXPECT_EQ(called, 0);
  EXPECT_TRUE(run.outputs[0]->ReadyEvent().Await().ok());
  EXPECT_EQ(thread_of_run.load(), std::this_thread::get_id());
  EXPECT_EQ(called, 1);
  // A thread that waits for a copy runs the program too, unless its length is unknown.
  thread_of_run = std::thread::id();
  run = Execute(*program, {});
  Values<int32_t>(*run.outputs[0]);
  EXPECT_EQ(thread_of_run.load(), std::this_thread::get_id());
  EXPECT_FALSE(first.done.IsReady());
  gate = true;
  EXPECT_TRUE(first.done.Await().ok());
}

TEST_F(LocalClientTest, WaitingThreadsHelpTheExecutionThreads) {
  Image image = AddOneImage(false, 500e3);
  auto program = Compile(*client_, std::move(image));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto in = FromHost<int32_t>(*client_, {i, 2, 3, 4});
        Executed run = Execute(*program, {in.get()});
        Executed next = Execute(*program, {run.outputs[0].get()});
        if (i % 3 == 0) run.outputs[0]->ReadyEvent().Help();
        EXPECT_TRUE(next.done.Await().ok());
        EXPECT_EQ(Values<int32_t>(*next.outputs[0])[0], i + 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(LocalClientTest, DonationReusesTheStorage) {
  auto program = Compile(*client_, AddOneImage(true));
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  const uintptr_t address = *in->UnsafePointer();
  Executed run = Execute(*program, {in.get()});
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  EXPECT_TRUE(in->IsDeleted());
  EXPECT_FALSE(in->ReadyEvent().status().ok());
  EXPECT_EQ(*run.outputs[0]->UnsafePointer(), address);
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{2, 3, 4, 5}));
}

TEST_F(LocalClientTest, ExternalReferencesKeepTheirValues) {
  auto program = Compile(*client_, AddOneImage(true));
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  ASSERT_TRUE(in->IncreaseExternalReferenceCount().ok());
  const auto* seen = static_cast<const int32_t*>(*in->OpaquePointer());
  Executed run = Execute(*program, {in.get()});
  ASSERT_TRUE(run.status.ok());
  EXPECT_TRUE(in->IsDeleted());
  EXPECT_EQ(seen[0], 1);
  EXPECT_EQ(Values<int32_t>(*run.outputs[0])[0], 2);
  EXPECT_EQ(*in->OpaquePointer(), seen);
  EXPECT_TRUE(in->DecreaseExternalReferenceCount().ok());
  EXPECT_EQ(in->DecreaseExternalReferenceCount().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(in->IncreaseExternalReferenceCount().ok());
}

TEST_F(LocalClientTest, ViewsOfHostMemoryAreNotWrittenTo) {
  auto program = Compile(*client_, AddOneImage(true));
  alignas(64) int32_t host[4] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  int deletions = 0;
  auto view = client_->CreateViewOfDeviceBuffer(
      host, {ElementType::kS32, dims, std::nullopt}, client_->addressable_memories()[0],
      0, [&] { ++deletions; });
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(*(*view)->UnsafePointer(), reinterpret_cast<uintptr_t>(host));
  Executed run = Execute(*program, {view->get()});
  ASSERT_TRUE(run.status.ok());
  EXPECT_EQ(host[0], 1);
  EXPECT_EQ(Values<int32_t>(*run.outputs[0])[0], 2);
  view->reset();
  EXPECT_EQ(deletions, 1);
}

TEST_F(LocalClientTest, NonDonatableArgumentsStay) {
  auto program = Compile(*client_, AddOneImage(true));
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  const int64_t index = 0;
  Executed run = Execute(*program, {in.get()}, NotDonating(&index));
  ASSERT_TRUE(run.status.ok());
  EXPECT_FALSE(in->IsDeleted());
  EXPECT_EQ(Values<int32_t>(*in)[0], 1);
  EXPECT_EQ(Values<int32_t>(*run.outputs[0])[0], 2);
}

TEST_F(LocalClientTest, RejectsDonatedBufferPassedTwice) {
  for (int64_t donated : {0, 1}) {
    Image image = AddOneImage(false);
    image.info.parameters.push_back(image.info.parameters[0]);
    image.info.aliases = {{.result = 0, .parameter = donated}};
    auto program = Compile(*client_, std::move(image));
    auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
    Executed run = Execute(*program, {in.get(), in.get()});
    EXPECT_EQ(run.status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(run.status.message().find("more than once"), std::string_view::npos)
        << run.status.ToString();
    // The error has undone the donation.
    EXPECT_FALSE(in->IsDeleted());
    EXPECT_EQ(Values<int32_t>(*in)[0], 1);
    // A buffer that is not donated may be passed twice.
    const int64_t index = donated;
    EXPECT_TRUE(Execute(*program, {in.get(), in.get()}, NotDonating(&index)).status.ok());
  }
}

TEST_F(LocalClientTest, BadArgumentsAreErrors) {
  auto program = Compile(*client_, AddOneImage(true));
  const auto error = [&](std::vector<Buffer*> arguments) {
    return Execute(*program, std::move(arguments)).status;
  };
  auto floats = FromHost<float>(*client_, {1, 2, 3, 4});
  EXPECT_NE(error({floats.get()}).message().find("f32[4]"), std::string_view::npos);
  auto five = FromHost<int32_t>(*client_, {1, 2, 3, 4, 5});
  EXPECT_EQ(error({five.get()}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(error({}).code(), StatusCode::kInvalidArgument);
  auto deleted = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  deleted->Delete();
  EXPECT_NE(error({deleted.get()}).message().find("deleted"), std::string_view::npos);
  auto good = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  program->Delete();
  EXPECT_TRUE(program->IsDeleted());
  EXPECT_EQ(error({good.get()}).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(good->IsDeleted());
}

TEST_F(LocalClientTest, FailingProgramPoisonsOutputsAndUsers) {
  Image image = AddOneImage(false);
  image.code_objects[0].bytes = ImageOf([](RunContext* context, const RunBuffer*,
                                           const RunBuffer*, void*) -> int32_t {
                                  context->table->set_error(context, 11, "too far", 7);
                                  return 11;
                                })
                                    .code_objects[0]
                                    .bytes;
  auto failing = Compile(*client_, std::move(image));
  auto next = Compile(*client_, AddOneImage(true));
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  Executed first = Execute(*failing, {in.get()});
  ASSERT_TRUE(first.status.ok());
  EXPECT_EQ(first.done.status().code(), StatusCode::kOutOfRange);
  Executed second = Execute(*next, {first.outputs[0].get()});
  ASSERT_TRUE(second.status.ok());
  EXPECT_EQ(second.outputs[0]->ReadyEvent().status().message(), "too far");
  int32_t values[4];
  EXPECT_EQ(second.outputs[0]->ToHost(values, sizeof values, std::nullopt).Await().code(),
            StatusCode::kOutOfRange);
}

// A buffer of 4 int32 that becomes ready when its chunk is sent.
struct Late {
  explicit Late(LocalClient& client) {
    const int64_t dims[] = {4};
    const ArrayShape shape{ElementType::kS32, dims, std::nullopt};
    manager = *client.CreateBuffersForAsyncHostToDevice({&shape, 1},
                                                        client.addressable_memories()[0]);
    buffer = *manager->RetrieveBuffer(0);
  }
  void Send() {
    const int32_t values[] = {1, 2, 3, 4};
    ASSERT_TRUE(manager->TransferData(0, values, 0, sizeof values, true)->Await().ok());
  }
  std::unique_ptr<AsyncHostToDeviceTransferManager> manager;
  std::unique_ptr<Buffer> buffer;
};

TEST_F(LocalClientTest, ExecutionsWaitForTheirArguments) {
  for (double nanoseconds : {100., 1e9}) {
    auto program = Compile(*client_, AddOneImage(true, nanoseconds));
    Late late(*client_);
    Executed run = Execute(*program, {late.buffer.get()});
    ASSERT_TRUE(run.status.ok());
    EXPECT_TRUE(late.buffer->IsDeleted());
    EXPECT_FALSE(run.done.IsReady());
    // The chain is long enough to overflow the stack if it were run recursively.
    std::unique_ptr<Buffer> last = std::move(run.outputs[0]);
    const int kLength = 20000;
    for (int i = 0; i < kLength; ++i) {
      Executed next = Execute(*program, {last.get()});
      ASSERT_TRUE(next.status.ok());
      last = std::move(next.outputs[0]);
    }
    late.Send();
    ASSERT_TRUE(last->ReadyEvent().Await().ok());
    EXPECT_EQ(Values<int32_t>(*last)[0], kLength + 2);
  }
}

TEST_F(LocalClientTest, ArgumentsThatFailLaterFailTheExecution) {
  auto program = Compile(*client_, AddOneImage(false));
  Late late(*client_);
  Executed run = Execute(*program, {late.buffer.get()});
  ASSERT_TRUE(run.status.ok());
  late.manager->SetBufferError(0, Status(StatusCode::kUnavailable, "unplugged"));
  EXPECT_EQ(run.done.Await().message(), "unplugged");

  Late abandoned(*client_);
  run = Execute(*program, {abandoned.buffer.get()});
  abandoned.manager.reset();
  EXPECT_EQ(run.done.Await().code(), StatusCode::kCancelled);
}

TEST_F(LocalClientTest, WorkInFlightOutlivesItsExecutable) {
  Late late(*client_);
  Event done;
  std::unique_ptr<Buffer> output;
  {
    auto program = Compile(*client_, AddOneImage(false, 1e9));
    Executed run = Execute(*program, {late.buffer.get()});
    done = run.done;
    output = std::move(run.outputs[0]);
    late.buffer.reset();
  }
  late.Send();
  EXPECT_TRUE(done.Await().ok());
  EXPECT_EQ(Values<int32_t>(*output)[3], 5);
}

TEST_F(LocalClientTest, DestroyingTheClientWaits) {
  auto client = MakeClient();
  auto program = Compile(*client, AddOneImage(false, 1e9));
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  std::vector<Event> events;
  for (int i = 0; i < 50; ++i) events.push_back(Execute(*program, {in.get()}).done);
  in.reset();
  program.reset();
  client.reset();
  for (const Event& event : events) EXPECT_TRUE(event.IsReady());
}

TEST_F(LocalClientTest, ForkedChildRunsAndExits) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer does not follow forks of threaded programs";
#endif
  auto program = Compile(*client_, AddOneImage(false, 1e9));
  Late late(*client_);
  auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  Executed waiting = Execute(*program, {late.buffer.get()});
  ASSERT_TRUE(Execute(*program, {in.get()}).done.Await().ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // In the child of a fork, work in flight never ends, but new work runs normally.
    alarm(20);
    Executed run = Execute(*program, {in.get()});
    const bool good = run.done.Await().ok() && Values<int32_t>(*run.outputs[0])[0] == 2;
    run = {};
    in.reset();
    program.reset();
    client_.reset();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  late.Send();
  EXPECT_TRUE(waiting.done.Await().ok());
}

TEST_F(LocalClientTest, SeveralDevicesRunTogether) {
  auto client = MakeClient({{"device_count", int64_t{3}}});
  ASSERT_EQ(client->devices().size(), 3u);
  Image image = AddOneImage(true);
  image.info.num_replicas = 3;
  image.code_objects[0].bytes =
      ImageOf([](RunContext* context, const RunBuffer* args, const RunBuffer* results,
                 void*) -> int32_t {
        if (context->device_id != context->replica_id) return 13;
        static_cast<int32_t*>(results[0].data)[0] =
            static_cast<const int32_t*>(args[0].data)[0] + context->replica_id;
        return 0;
      })
          .code_objects[0]
          .bytes;
  auto program = Compile(*client, std::move(image));
  ASSERT_EQ(program->addressable_devices().size(), 3u);
  EXPECT_EQ(program->addressable_logical_ids()[2].replica, 2);
  EXPECT_EQ(program->device_assignment().device_ids, (std::vector<int>{0, 1, 2}));
  std::unique_ptr<Buffer> in[3], out[3];
  Buffer* arguments[3];
  for (int d = 0; d < 3; ++d) {
    in[d] = FromHost<int32_t>(*client, {10, 0, 0, 0}, d);
    arguments[d] = in[d].get();
  }
  const auto execute = [&] {
    std::vector<std::span<Buffer* const>> argument_lists;
    std::vector<std::span<std::unique_ptr<Buffer>>> output_lists;
    for (int d = 0; d < 3; ++d) {
      argument_lists.emplace_back(&arguments[d], 1);
      output_lists.emplace_back(&out[d], 1);
    }
    std::vector<Event> done(3);
    Status status = program->Execute(argument_lists, output_lists, done, {});
    if (status.ok()) {
      for (const Event& event : done) EXPECT_TRUE(event.Await().ok());
    }
    return status;
  };
  ASSERT_TRUE(execute().ok());
  for (int d = 0; d < 3; ++d) EXPECT_EQ(Values<int32_t>(*out[d])[0], 10 + d);
  // If one device cannot start, no argument is donated on any device.
  for (int d = 0; d < 3; ++d) {
    in[d] = FromHost<int32_t>(*client, {10, 0, 0, 0}, d);
    arguments[d] = in[d].get();
  }
  arguments[2] = in[1].get();
  Status status = execute();
  EXPECT_NE(status.message().find("TenonDevice(id=1)"), std::string_view::npos)
      << status.ToString();
  EXPECT_FALSE(in[0]->IsDeleted());
  EXPECT_FALSE(in[1]->IsDeleted());
}

TEST_F(LocalClientTest, ExecutablesRoundTrip) {
  Image image = AddOneImage(true);
  ::tenon::testing::SetConstants(image, {1, 2, 3});
  image.info.fingerprint = "f";
  image.info.costs = {{"flops", 4}};
  auto program = Compile(*client_, std::move(image));
  auto bytes = program->executable()->Serialize();
  ASSERT_TRUE(bytes.ok());
  auto other_client = MakeClient();
  auto loaded = other_client->DeserializeAndLoad(*bytes, "", {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  auto in = FromHost<int32_t>(*other_client, {1, 2, 3, 4});
  EXPECT_EQ(Values<int32_t>(*Execute(**loaded, {in.get()}).outputs[0])[0], 2);
  const Executable& executable = *(*loaded)->executable();
  EXPECT_EQ(*executable.Fingerprint(), "f");
  EXPECT_EQ(std::get<float>((*executable.CostAnalysis())["flops"]), 4);
  EXPECT_EQ(executable.GetCompiledMemoryStats()->alias_size, 16);
  EXPECT_EQ(other_client->DeserializeAndLoad("junk", "", {}).status().code(),
            StatusCode::kDataLoss);
  // Clients that cannot load executables compile them.
  auto compiled = other_client->Compile({"mlir", *bytes}, "");
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  in = FromHost<int32_t>(*other_client, {4, 2, 3, 4});
  EXPECT_EQ(Values<int32_t>(*Execute(**compiled, {in.get()}).outputs[0])[0], 5);
  EXPECT_EQ(other_client->Compile({"mlir", bytes->substr(0, 80)}, "").status().code(),
            StatusCode::kDataLoss);
}

TEST_F(LocalClientTest, ProgramsNeedAFormatAndACompiler) {
  EXPECT_EQ(client_->Compile({"hlo", ""}, "").status().code(),
            StatusCode::kUnimplemented);
  EXPECT_EQ(client_->Compile({"nonsense", ""}, "").status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(client_->Compile({"mlir", ""}, "").status().message(),
            "cannot compile a program: this plugin has no compiler; load a compiled "
            "executable");
  EXPECT_EQ(client_->Compile({"mlir", ""}, "\xff\xff").status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(LocalClientTest, MemoryIsCountedAndReturned) {
  Device& device = *client_->devices()[0];
  const int64_t before = device.GetMemoryStats()->bytes_in_use;
  {
    auto program = Compile(*client_, AddOneImage(false));
    auto in = FromHost<int32_t>(*client_, {1, 2, 3, 4});
    Executed run = Execute(*program, {in.get()});
    EXPECT_GT(device.GetMemoryStats()->bytes_in_use, before);
  }
  EXPECT_EQ(device.GetMemoryStats()->bytes_in_use, before);
}

TEST_F(LocalClientTest, ThreadsExecuteTogether) {
  auto program = Compile(*client_, AddOneImage(false));
  auto shared = FromHost<int32_t>(*client_, {1, 2, 3, 4});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        Executed run = Execute(*program, {shared.get()});
        ASSERT_TRUE(run.status.ok());
        ASSERT_EQ(Values<int32_t>(*run.outputs[0])[3], 5);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tenon::pjrt
