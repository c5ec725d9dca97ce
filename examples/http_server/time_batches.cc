// time_batches FILE...: how long the network takes for each batch size, on one thread and
// without HTTP: medians of 200 calls.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "model.h"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  std::string error;
  const auto model = OpenModel({argv + 1, argv + argc}, 1, &error);
  if (!model) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  std::fill_n(model->in(), model->max_rows() * model->in_width(), 3.0f);
  for (int rows = 1; rows <= model->max_rows(); rows *= 2) {
    std::vector<double> ms;
    for (int i = 0; i < 200; ++i) {
      const auto start = Clock::now();
      error = model->Run(rows);
      const std::chrono::duration<double, std::milli> time = Clock::now() - start;
      ms.push_back(time.count());
      if (!error.empty()) std::fprintf(stderr, "%s\n", error.c_str());
    }
    std::ranges::sort(ms);
    std::printf("%2d rows: %.3f ms\n", rows, ms[ms.size() / 2]);
  }
}
