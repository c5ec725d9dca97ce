// Selects the tiles of products and convolutions by measuring them on the device: create
// option `tune_products`. Thread-safe.
#ifndef TENON_PJRT_CLIENT_TILE_TUNER_H_
#define TENON_PJRT_CLIENT_TILE_TUNER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/compiler/tile_choices.h"
#include "tenon/device/program.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt {

// The create option of platforms whose compilers ask for tiles.
inline constexpr std::string_view kTuneProducts = "tune_products";

// The choices for one compilation: what has been measured before, and number 0 for the
// questions that are noted.
class NotedTiles final : public compiler::TileChoices {
 public:
  explicit NotedTiles(std::function<std::optional<int>(const std::string&)> find)
      : find_(std::move(find)) {}
  int Choose(const compiler::TileQuestion& question) override;
  std::vector<compiler::TileQuestion> TakeNoted();
  // Whether it returned another number than 0.
  bool has_measured() const { return has_measured_; }

 private:
  const std::function<std::optional<int>(const std::string&)> find_;
  std::mutex mutex_;
  std::vector<compiler::TileQuestion> noted_;
  std::atomic<bool> has_measured_{false};
};

class TileTuner {
 public:
  using Loaded = StatusOr<std::unique_ptr<LoadedExecutable>>;
  // Compiles StableHLO text with these choices and loads it.
  using Compile =
      std::function<Loaded(std::string_view program, compiler::TileChoices& choices)>;

  // `client` owns the tuner. Answers are kept in `store` if it is not null; they hold for
  // this target and hardware.
  TileTuner(Client& client, Compile compile, const device::CodeStore* store,
            std::string target, std::string hardware);

  // Compiles and loads a program by `compile`, and once more if other tiles than the cost
  // model's are faster. With what is fused into a product, a kernel may need more than
  // the device has; then the program keeps the cost model's tiles.
  Loaded CompileTuned(
      const std::function<Loaded(compiler::TileChoices& choices)>& compile);

  NotedTiles Begin();
  // Measures what is not known yet. Returns whether any question has another answer than
  // number 0. Only one thread measures at a time.
  bool Measure(const std::vector<compiler::TileQuestion>& questions);

 private:
  std::string Key(const std::string& program) const;
  std::optional<int> Find(const std::string& program);
  // The fastest candidate. An error if number 0 cannot be measured.
  StatusOr<int> Fastest(const compiler::TileQuestion& question);
  StatusOr<double> Seconds(const compiler::TileQuestion& question, int candidate);

  Client& client_;
  const Compile compile_;
  const device::CodeStore* const store_;
  const std::string target_, hardware_;
  std::mutex mutex_;  // of answers_
  std::map<std::string, int> answers_;
  std::mutex measuring_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_TILE_TUNER_H_
