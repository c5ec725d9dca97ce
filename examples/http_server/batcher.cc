#include "batcher.h"

#include <algorithm>

Batcher::Batcher(Model& model, int max_waiting)
    : model_(model), max_waiting_(max_waiting), worker_([this] { Work(); }) {}

Batcher::~Batcher() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  not_empty_.notify_one();
  worker_.join();
}

Batcher::Outcome Batcher::Run(int rows, const float* x, float* y, std::string* error) {
  Request request{rows, x, y, {}};
  {
    std::lock_guard lock(mutex_);
    if (waiting_rows_ + rows > max_waiting_) {
      ++counts_.refused;
      return Outcome::kFull;
    }
    waiting_.push_back(&request);
    waiting_rows_ += rows;
  }
  not_empty_.notify_one();
  request.done.acquire();
  *error = request.error;
  return error->empty() ? Outcome::kDone : Outcome::kFailed;
}

Batcher::Counts Batcher::counts() {
  std::lock_guard lock(mutex_);
  return counts_;
}

void Batcher::Work() {
  for (;;) {
    const std::deque<Request*> batch = NextBatch();
    if (batch.empty()) return;
    Compute(batch);
  }
}

// Empty when the batcher stops and nothing waits.
std::deque<Batcher::Request*> Batcher::NextBatch() {
  std::unique_lock lock(mutex_);
  not_empty_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  std::deque<Request*> batch;
  int rows = 0;
  while (!waiting_.empty() && rows + waiting_.front()->rows <= model_.max_rows()) {
    batch.push_back(waiting_.front());
    rows += batch.back()->rows;
    waiting_.pop_front();
  }
  waiting_rows_ -= rows;
  counts_.requests += static_cast<int64_t>(batch.size());
  counts_.rows += rows;
  counts_.batches += !batch.empty();
  return batch;
}

void Batcher::Compute(const std::deque<Request*>& batch) {
  const int in = model_.in_width(), out = model_.out_width();
  int rows = 0;
  for (const Request* request : batch) {
    std::copy_n(request->x, request->rows * in, model_.in() + rows * in);
    rows += request->rows;
  }
  const std::string error = model_.Run(rows);
  rows = 0;
  for (Request* request : batch) {
    std::copy_n(model_.out() + rows * out, request->rows * out, request->y);
    rows += request->rows;
    request->error = error;
    request->done.release();  // the request may be gone after this
  }
}
