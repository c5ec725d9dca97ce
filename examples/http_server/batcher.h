// Dynamic batching: requests that wait while a batch is computed become the next batch.
#ifndef EXAMPLES_HTTP_SERVER_BATCHER_H_
#define EXAMPLES_HTTP_SERVER_BATCHER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

#include "model.h"

class Batcher {
 public:
  enum class Outcome { kDone, kFull, kFailed };
  struct Counts {
    int64_t requests = 0, rows = 0, batches = 0, refused = 0;
  };

  // At most `max_waiting` rows wait; requests beyond that are refused.
  Batcher(Model& model, int max_waiting);
  // Computes what still waits.
  ~Batcher();

  // Computes `rows` rows, at most model.max_rows(), and returns when they are in `y`.
  // Called by any number of threads. After kFailed, *error says what failed.
  Outcome Run(int rows, const float* x, float* y, std::string* error);

  Counts counts();

 private:
  struct Request {
    int rows;
    const float* x;
    float* y;
    std::string error;
    std::binary_semaphore done{0};
  };

  void Work();
  std::deque<Request*> NextBatch();
  void Compute(const std::deque<Request*>& batch);

  Model& model_;
  const int max_waiting_;
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<Request*> waiting_;
  int waiting_rows_ = 0;
  bool stopping_ = false;
  Counts counts_;
  std::thread worker_;  // last: it uses the others
};

#endif  // EXAMPLES_HTTP_SERVER_BATCHER_H_
