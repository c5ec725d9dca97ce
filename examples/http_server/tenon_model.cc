// A network as .tenon files, one for each batch size: of those that are large enough for
// a batch, the smallest runs.
#include <algorithm>
#include <utility>

#include "model.h"
#include "tenon/runtime.hpp"

namespace {

struct Size {
  int rows;
  tenon::rt::Program program;
};

class TenonModel : public Model {
 public:
  std::string Open(const std::vector<std::string>& files, int threads) {
    for (const std::string& file : files) {
      auto program = tenon::rt::Program::Open(file.c_str());
      if (!program) return file + ": " + program.error().message();
      const auto in = program->inputs(), out = program->outputs();
      if (in.size() != 1 || out.size() != 1 || !IsMatrix(in[0]) || !IsMatrix(out[0]) ||
          in[0].dims[0] != out[0].dims[0])
        return file + ": is not a function from f32[N,A] to f32[N,B]";
      const int a = static_cast<int>(in[0].dims[1]), b = static_cast<int>(out[0].dims[1]);
      if (!sizes_.empty() && (a != in_width_ || b != out_width_))
        return file + ": the rows have other widths than those of " + files[0];
      in_width_ = a, out_width_ = b;
      sizes_.push_back({static_cast<int>(in[0].dims[0]), std::move(*program)});
    }
    std::ranges::sort(sizes_, {}, &Size::rows);
    max_rows_ = sizes_.back().rows;
    const tenon::rt::Program& largest = sizes_.back().program;
    in_ = largest.MakeInputs(), out_ = largest.MakeOutputs();
    std::fill_n(in(), max_rows_ * in_width_, 0.0f);
    auto team = tenon::rt::Team::Create(threads);
    if (!team) return team.error().message();
    team_ = std::move(*team);
    return "";
  }

  float* in() override { return in_.data<float>(0); }
  const float* out() override { return out_.data<float>(0); }

  // Rows after the first `rows` are computed too, from what an earlier batch left there.
  std::string Run(int rows) override {
    const auto size = std::ranges::lower_bound(sizes_, rows, {}, &Size::rows);
    if (size == sizes_.end()) return "too many rows";
    return size->program.Run(in_.pointers(), out_.pointers(), team_).message();
  }

 private:
  static bool IsMatrix(const tenon_tensor& tensor) {
    return tensor.type == TENON_F32 && tensor.rank == 2 && tensor.bytes > 0 &&
           tensor.minor_to_major[0] == 1;
  }

  std::vector<Size> sizes_;
  tenon::rt::Team team_;
  tenon::rt::Arrays in_{{}}, out_{{}};
};

}  // namespace

std::unique_ptr<Model> OpenModel(const std::vector<std::string>& files, int threads,
                                 std::string* error) {
  auto model = std::make_unique<TenonModel>();
  *error = model->Open(files, threads);
  if (!error->empty()) return nullptr;
  return model;
}
