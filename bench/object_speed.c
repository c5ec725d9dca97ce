/* Times a model in four forms, in turns, on the arguments in inputs.bin: an object file
 * without and with threads, and the JIT's code in a .tenon file without and with them.
 * Both use the same pool of threads. objects.py builds it. For x86-64.
 *
 *   object_speed FILE.tenon seconds threads
 *
 * Prints a line with the median of each form's times in microseconds, and then the
 * medians of the ratios object / JIT of the rounds: serial, with threads. Serial times
 * are processor time, which load distorts least; others are elapsed time. */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "callback.h"
#include "tenon/runtime.h"

extern const tenon_model_info serial_info;
int serial_call(const tenon_env*, const void* const*, void* const*, void*);

enum { kForms = 4, kMaxRounds = 4000 };
static double times[kForms][kMaxRounds], ratios[2][kMaxRounds];
static const void** args;
static void** results;
static void* arena;
static tenon_program* program;
static tenon_team* team;

/* The pool of threads. A thread that comes too late for a loop does
 * not delay it, so that load on the machine is no more harmful than it is to Tenon's own
 * threads. */
static struct {
  void (*body)(void*, int64_t);
  void* data;
  int64_t chunks;
  atomic_llong next;
  atomic_int open, inside, sleepers, epoch;
} loop;

static void run_chunks(void) {
  int64_t i;
  while ((i = atomic_fetch_add(&loop.next, 1)) < loop.chunks) loop.body(loop.data, i);
}

static void* worker(void* unused) {
  int seen = 0;
  for (;;) {
    int spins = 0;
    while (atomic_load(&loop.epoch) == seen) {
      if (++spins < 10000) {
        __builtin_ia32_pause();
        continue;
      }
      atomic_fetch_add(&loop.sleepers, 1);
      syscall(SYS_futex, &loop.epoch, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
      atomic_fetch_sub(&loop.sleepers, 1);
    }
    seen = atomic_load(&loop.epoch);
    atomic_fetch_add(&loop.inside, 1);
    if (atomic_load(&loop.open)) run_chunks();
    atomic_fetch_sub(&loop.inside, 1);
  }
  return unused;
}

static void parallel_for(void* user, void (*body)(void*, int64_t), void* data,
                         int64_t chunks) {
  (void)user;
  loop.body = body;
  loop.data = data;
  loop.chunks = chunks;
  atomic_store(&loop.next, 0);
  atomic_store(&loop.open, 1);
  atomic_fetch_add(&loop.epoch, 1);
  if (atomic_load(&loop.sleepers))
    syscall(SYS_futex, &loop.epoch, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  run_chunks();
  atomic_store(&loop.open, 0);
  while (atomic_load(&loop.inside)) sched_yield();
}
static const tenon_env env = {NULL, parallel_for};

static int run(int form) {
  switch (form) {
    case 0:
      return serial_call(NULL, args, results, arena);
    case 1:
      return tenon_program_run(program, NULL, args, results, arena, NULL);
    case 2:
      return callback_call(&env, args, results, arena);
    default:
      return tenon_program_run(program, team, args, results, arena, NULL);
  }
}

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Microseconds of one of `repeats` runs, after one that is not timed: each form finds the
 * caches as it left them. */
static double measure(int form, int repeats) {
  const clockid_t clock = form < 2 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  double start;
  if (run(form)) exit(4);
  start = now(clock);
  for (int i = 0; i < repeats; ++i)
    if (run(form)) exit(4);
  return (now(clock) - start) / repeats;
}

static void* allocate(uint64_t bytes) {
  void* memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!memory) exit(5);
  memset(memory, 0, bytes);
  return memory;
}

static int less(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, less);
  return values[count / 2];
}

int main(int argc, char** argv) {
  const tenon_model_info* info = &serial_info;
  tenon_error error;
  FILE* inputs = fopen("inputs.bin", "rb");
  int repeats[2], rounds = 0;
  uint64_t bytes = info->arena_bytes;
  if (argc != 4 || !inputs) return 2;
  for (int i = 1; i < atoi(argv[3]); ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker, NULL)) return 5;
  }
  if (tenon_program_open(argv[1], NULL, &program, &error) ||
      tenon_team_from_callback(parallel_for, NULL, atoi(argv[3]), &team, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 2;
  }
  if (callback_info.arena_bytes > bytes) bytes = callback_info.arena_bytes;
  if (tenon_program_arena_bytes(program) > bytes)
    bytes = tenon_program_arena_bytes(program);
  arena = allocate(bytes);
  args = malloc(sizeof *args * (info->num_args + 1));
  results = malloc(sizeof *results * (info->num_results + 1));
  for (uint64_t i = 0; i < info->num_args; ++i) {
    void* memory = allocate(info->args[i].bytes);
    if (fread(memory, 1, info->args[i].bytes, inputs) != info->args[i].bytes) return 3;
    args[i] = memory;
  }
  for (uint64_t i = 0; i < info->num_results; ++i)
    results[i] = allocate(info->results[i].bytes);
  for (int form = 0; form < kForms; ++form) measure(form, 2);
  /* A measurement takes 200 us or more. */
  for (int threads = 0; threads < 2; ++threads)
    repeats[threads] = 1 + (int)(200 / (measure(2 * threads + 1, 3) + 0.01));
  const double end = now(CLOCK_MONOTONIC) + 1e6 * atof(argv[2]);
  while (rounds < kMaxRounds && (now(CLOCK_MONOTONIC) < end || rounds < 5)) {
    for (int i = 0; i < kForms; ++i) {
      const int form = i ^ (rounds & 1); /* 0 1 2 3, 1 0 3 2 */
      times[form][rounds] = measure(form, repeats[form / 2]);
    }
    ratios[0][rounds] = times[0][rounds] / times[1][rounds];
    ratios[1][rounds] = times[2][rounds] / times[3][rounds];
    ++rounds;
  }
  for (int form = 0; form < kForms; ++form) printf("%g ", median(times[form], rounds));
  printf("%g %g\n", median(ratios[0], rounds), median(ratios[1], rounds));
  return 0;
}
