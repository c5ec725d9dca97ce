// Threads that execute parallel loops, as fork-join: what a tenon_team is. The caller
// participates.
//
// Thread-safe. A loop that is started while another one of the team runs is executed by
// its caller alone.
#ifndef TENON_EMBED_TEAM_H_
#define TENON_EMBED_TEAM_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "tenon/embed/error.h"

struct tenon_team {
  using Body = void (*)(void* context, int64_t chunk);

  int num_threads = 1;
  tenon_parallel_for callback = nullptr;  // if set, there are no threads here
  void* user = nullptr;

  void ParallelFor(Body body, void* context, int64_t count);
  // 0 or an error code.
  int Start(tenon_error* error);
  void Stop();

 private:
  void Work();
  void RunChunks();

  std::atomic<bool> taken_{false};  // by the caller of a loop
  // The loop. Workers read it between incrementing `inside_` and decrementing it, if
  // `open_` is set then. The caller changes it only when `open_` is clear and `inside_`
  // is 0.
  Body body_ = nullptr;
  void* context_ = nullptr;
  int64_t count_ = 0;
  std::atomic<bool> open_{false};
  alignas(64) std::atomic<int64_t> next_{0};  // chunk that nobody has claimed
  alignas(64) std::atomic<uint32_t> inside_{0};
  alignas(64) std::atomic<uint32_t> epoch_{0};  // number of loops; workers sleep on it
  std::atomic<int32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  pthread_t* threads_ = nullptr;
  int num_started_ = 0;
};

#endif  // TENON_EMBED_TEAM_H_
