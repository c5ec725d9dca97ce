#include "tenon/pjrt/client/tile_tuner.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "tenon/pjrt/client/local_executable.h"

namespace tenon::pjrt {
namespace {

// Another tile must be faster by this factor than the cost model's.
constexpr double kMinGain = 1.03;
constexpr double kMinSeconds = 0.003;  // that a batch of calls takes
constexpr int kMaxCalls = 1024, kBatches = 3;

// The same choice for all questions, of a program that has one.
class FixedTile final : public compiler::TileChoices {
 public:
  explicit FixedTile(const compiler::TileQuestion& question, int candidate)
      : question_(question), candidate_(candidate) {}
  int Choose(const compiler::TileQuestion& asked) override {
    asked_ |= asked.num_candidates == question_.num_candidates;
    return std::min(candidate_, asked.num_candidates - 1);
  }
  // Whether the program had the question that it stands for.
  bool asked() const { return asked_; }

 private:
  const compiler::TileQuestion& question_;
  const int candidate_;
  bool asked_ = false;
};

// Arguments that are all zero.
StatusOr<std::vector<std::unique_ptr<Buffer>>> MakeArguments(Client& client,
                                                             LoadedExecutable& program) {
  auto& executable = dynamic_cast<LocalExecutable&>(*program.executable());
  std::vector<std::unique_ptr<Buffer>> arguments;
  for (const auto& parameter : executable.image()->info.parameters) {
    int64_t bytes = ElementBytes(parameter.type);
    for (int64_t dim : parameter.dims) bytes *= dim;
    const std::vector<char> zeros(static_cast<size_t>(bytes));
    TENON_ASSIGN_OR_RETURN(
        HostTransfer transfer,
        client.BufferFromHost(
            {zeros.data(), parameter.type, parameter.dims, std::nullopt},
            HostBufferSemantics::kImmutableOnlyDuringCall,
            client.addressable_devices()[0]->default_memory(), std::nullopt));
    TENON_RETURN_IF_ERROR(transfer.done.Await());
    arguments.push_back(std::move(transfer.buffer));
  }
  return arguments;
}

// Starts `count` executions, and waits for the last one, which ends last.
StatusOr<double> SecondsOfCalls(LoadedExecutable& program,
                                const std::vector<std::unique_ptr<Buffer>>& arguments,
                                int count) {
  std::vector<Buffer*> pointers;
  for (const auto& argument : arguments) pointers.push_back(argument.get());
  const std::span<Buffer* const> argument_list(pointers);
  const auto start = std::chrono::steady_clock::now();
  Event done;
  for (int i = 0; i < count; ++i) {
    std::vector<std::unique_ptr<Buffer>> results(program.executable()->outputs().size());
    const std::span<std::unique_ptr<Buffer>> result_list(results);
    TENON_RETURN_IF_ERROR(
        program.Execute({&argument_list, 1}, {&result_list, 1}, {&done, 1}, {}));
  }
  TENON_RETURN_IF_ERROR(done.Await());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int NotedTiles::Choose(const compiler::TileQuestion& question) {
  if (const std::optional<int> known = find_(question.program)) {
    if (*known != 0) has_measured_ = true;
    return std::min(*known, question.num_candidates - 1);
  }
  std::lock_guard lock(mutex_);
  noted_.push_back(question);
  return 0;
}

std::vector<compiler::TileQuestion> NotedTiles::TakeNoted() {
  std::lock_guard lock(mutex_);
  return std::exchange(noted_, {});
}

TileTuner::TileTuner(Client& client, Compile compile, const device::CodeStore* store,
                     std::string target, std::string hardware)
    : client_(client),
      compile_(std::move(compile)),
      store_(store),
      target_(std::move(target)),
      hardware_(std::move(hardware)) {}

TileTuner::Loaded TileTuner::CompileTuned(
    const std::function<Loaded(compiler::TileChoices&)>& compile) {
  NotedTiles noted = Begin();
  Loaded program = compile(noted);
  if (!program.ok()) {
    if (!noted.has_measured()) return program;
    NotedTiles plain([](const std::string&) { return std::optional<int>(0); });
    return compile(plain);
  }
  if (!Measure(noted.TakeNoted())) return program;
  NotedTiles measured = Begin();
  Loaded tuned = compile(measured);
  return tuned.ok() ? std::move(tuned) : std::move(program);
}

NotedTiles TileTuner::Begin() {
  return NotedTiles([this](const std::string& program) { return Find(program); });
}

std::string TileTuner::Key(const std::string& program) const {
  constexpr char kVersion[] = "tile 1\n";  // of the candidates' order
  return kVersion + std::string(client_.platform_version()) + "\n" + target_ + "\n" +
         hardware_ + "\n" + program;
}

std::optional<int> TileTuner::Find(const std::string& program) {
  std::lock_guard lock(mutex_);
  if (const auto found = answers_.find(program); found != answers_.end())
    return found->second;
  const auto stored = store_ ? store_->Load(Key(program)) : std::nullopt;
  if (!stored || stored->size() != 1 || stored->front() < 0) return std::nullopt;
  return answers_[program] = stored->front();
}

bool TileTuner::Measure(const std::vector<compiler::TileQuestion>& questions) {
  std::lock_guard lock(measuring_);
  bool is_other = false;
  for (const compiler::TileQuestion& question : questions) {
    std::optional<int> answer = Find(question.program);
    if (!answer) {
      const StatusOr<int> measured = Fastest(question);
      // What cannot be measured, for lack of memory, say, has the cost model's tile here.
      answer = measured.ok() ? *measured : 0;
      if (measured.ok() && store_)
        store_->Store(Key(question.program), std::string(1, static_cast<char>(*answer)));
      std::lock_guard answers_lock(mutex_);
      answers_[question.program] = *answer;
    }
    is_other |= *answer != 0;
  }
  return is_other;
}

StatusOr<int> TileTuner::Fastest(const compiler::TileQuestion& question) {
  TENON_ASSIGN_OR_RETURN(double best, Seconds(question, 0));
  best /= kMinGain;
  int fastest = 0;
  for (int candidate = 1; candidate < question.num_candidates; ++candidate) {
    // A tile may need more registers or memory than there are.
    const StatusOr<double> seconds = Seconds(question, candidate);
    if (!seconds.ok() || *seconds >= best) continue;
    best = *seconds;
    fastest = candidate;
  }
  return fastest;
}

StatusOr<double> TileTuner::Seconds(const compiler::TileQuestion& question,
                                    int candidate) {
  FixedTile choices(question, candidate);
  TENON_ASSIGN_OR_RETURN(auto program, compile_(question.program, choices));
  if (!choices.asked()) return Internal("the product is compiled to another form alone");
  TENON_ASSIGN_OR_RETURN(const auto arguments, MakeArguments(client_, *program));
  TENON_RETURN_IF_ERROR(SecondsOfCalls(*program, arguments, 1).status());
  int calls = 1;
  double seconds = 0;
  for (;; calls *= 2) {
    TENON_ASSIGN_OR_RETURN(seconds, SecondsOfCalls(*program, arguments, calls));
    if (seconds >= kMinSeconds || calls >= kMaxCalls) break;
  }
  for (int batch = 1; batch < kBatches; ++batch) {
    TENON_ASSIGN_OR_RETURN(const double again,
                           SecondsOfCalls(*program, arguments, calls));
    seconds = std::min(seconds, again);
  }
  return seconds / calls;
}

}  // namespace tenon::pjrt
