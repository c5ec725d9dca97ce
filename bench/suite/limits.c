// Measures the limits of this machine on all cores: multiply-adds by type, and memory
// reads and writes by footprint. Prints one JSON object with operations and bytes per
// second. Each figure is the maximum of a few runs, because other load only reduces it.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif
#ifdef __AMX_TILE__
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Chains of additions: enough to keep the units busy, few enough for the registers.
#ifdef __AVX512F__
enum { kVectorBytes = 64, kChains = 24 };
#elif defined(__AVX__)
enum { kVectorBytes = 32, kChains = 12 };
#else
enum { kVectorBytes = 16, kChains = 12 };
#endif
enum { kMostThreads = 256, kRuns = 7, kLanes = kVectorBytes / sizeof(float) };
typedef float Floats __attribute__((vector_size(kVectorBytes)));

static int threads;
static pthread_barrier_t barrier;
static volatile float sink;

static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// A kernel runs once and returns the amount of work.
typedef double (*Kernel)(int thread, void* data);
struct Job {
  int thread;
  Kernel kernel;
  void* data;
  double work, begin, end;
};

static void* Run(void* argument) {
  struct Job* job = argument;
  job->kernel(job->thread, job->data);
  pthread_barrier_wait(&barrier);
  job->begin = Now();
  job->work = job->kernel(job->thread, job->data);
  job->end = Now();
  return NULL;
}

static double Best(Kernel kernel, void* data) {
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    pthread_t ids[kMostThreads];
    struct Job jobs[kMostThreads];
    pthread_barrier_init(&barrier, NULL, threads);
    for (int i = 0; i < threads; ++i) {
      jobs[i] = (struct Job){i, kernel, data, 0, 0, 0};
      pthread_create(&ids[i], NULL, Run, &jobs[i]);
    }
    double work = 0, begin = 1e300, end = 0;
    for (int i = 0; i < threads; ++i) {
      pthread_join(ids[i], NULL);
      work += jobs[i].work;
      if (jobs[i].begin < begin) begin = jobs[i].begin;
      if (jobs[i].end > end) end = jobs[i].end;
    }
    pthread_barrier_destroy(&barrier);
    if (work / (end - begin) > best) best = work / (end - begin);
  }
  return best;
}

#define CHAINS(TYPE, INIT, STEP, OPERATIONS)                                   \
  TYPE sums[kChains];                                                          \
  const long steps = 2000000;                                                  \
  for (int i = 0; i < kChains; ++i) memset(&sums[i], 0, sizeof(TYPE));         \
  INIT;                                                                        \
  for (long s = 0; s < steps; ++s) {                                           \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < kChains; ++i) STEP; \
    __asm__ volatile("" : "+v"(sums[0]), "+v"(x));                             \
  }                                                                            \
  TYPE total = sums[0];                                                        \
  for (int i = 1; i < kChains; ++i) total += sums[i];                          \
  sink = ((float*)&total)[0];                                                  \
  return (double)steps * kChains * (OPERATIONS)

static double MultiplyAddF32(int thread, void* data) {
  CHAINS(Floats, Floats x = (Floats){0} + 1e-3f, sums[i] = x * x + sums[i], 2 * kLanes);
}
#ifdef __AVX512BF16__
static double DotBf16(int thread, void* data) {
  CHAINS(__m512, __m512 x = _mm512_set1_ps(1e-3f),
         sums[i] = _mm512_dpbf16_ps(sums[i], (__m512bh)x, (__m512bh)x), 64);
}
#endif
#ifdef __AVX512VNNI__
static double DotI8(int thread, void* data) {
  CHAINS(__m512i, __m512i x = _mm512_set1_epi8(3),
         sums[i] = _mm512_dpbusd_epi32(sums[i], x, x), 128);
}
#endif

#ifdef __AMX_TILE__
static int TilesPermitted(void) {
  const int request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

// Products of full vectors, into four accumulators.
#define TILES(MULTIPLY, OPERATIONS)                                             \
  struct {                                                                      \
    unsigned char palette, start, reserved[14];                                 \
    unsigned short row_bytes[16];                                               \
    unsigned char rows[16];                                                     \
  } config __attribute__((aligned(64))) = {.palette = 1};                       \
  for (int i = 0; i < 8; ++i) config.row_bytes[i] = 64, config.rows[i] = 16;    \
  const long steps = 2000000;                                                   \
  _tile_loadconfig(&config);                                                    \
  for (long s = 0; s < steps; ++s) {                                            \
    MULTIPLY(0, 4, 6), MULTIPLY(1, 4, 7), MULTIPLY(2, 5, 6), MULTIPLY(3, 5, 7); \
  }                                                                             \
  _tile_release();                                                              \
  return (double)steps * 4 * (OPERATIONS)

#ifdef __AMX_BF16__
static double TilesBf16(int thread, void* data) {
  TILES(_tile_dpbf16ps, 2 * 16 * 16 * 32);
}
#endif
#ifdef __AMX_INT8__
static double TilesI8(int thread, void* data) { TILES(_tile_dpbssd, 2 * 16 * 16 * 64); }
#endif
#endif

struct Memory {
  float* buffer;
  size_t bytes;  // of all threads
};

// Reads half of the footprint and writes the other half.
static double Copy(int thread, void* data) {
  struct Memory* memory = data;
  size_t half = memory->bytes / threads / 2 / 64 * 64;
  char* from = (char*)memory->buffer + thread * 2 * half;
  long times = (64l << 20) / (long)half + 1;
  for (long t = 0; t < times; ++t) {
    Floats* in = (Floats*)from;
    Floats* out = (Floats*)(from + half);
    for (size_t i = 0; i < half / sizeof(Floats); ++i) {
      if (memory->bytes > (64u << 20))
        __builtin_nontemporal_store(in[i] + 1, &out[i]);
      else
        out[i] = in[i] + 1;
    }
    __asm__ volatile("" ::: "memory");
  }
  return 2.0 * half * times;
}

int main(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  threads = CPU_COUNT(&set);
  if (threads > kMostThreads) threads = kMostThreads;
  double f32 = Best(MultiplyAddF32, NULL), bf16 = f32, i8 = f32;
#ifdef __AVX512BF16__
  // Some processors run this at half the rate of multiply-adds of f32.
  bf16 = Best(DotBf16, NULL);
  if (bf16 < f32) bf16 = f32;
#endif
#ifdef __AVX512VNNI__
  i8 = Best(DotI8, NULL);
#endif
#ifdef __AMX_TILE__
  if (TilesPermitted()) {
#ifdef __AMX_BF16__
    bf16 = Best(TilesBf16, NULL);
#endif
#ifdef __AMX_INT8__
    i8 = Best(TilesI8, NULL);
#endif
  }
#endif
  printf("{\"threads\": %d, \"f32\": %.4g, \"bf16\": %.4g, \"i8\": %.4g", threads, f32,
         bf16, i8);
  printf(", \"bandwidth\": [");
  const size_t sizes[] = {64 << 10, 512 << 10, 4 << 20, 512 << 20};
  for (int i = 0; i < 4; ++i) {
    struct Memory memory = {aligned_alloc(4096, sizes[i]), sizes[i]};
    memset(memory.buffer, 0, sizes[i]);
    printf("%s[%zu, %.4g]", i ? ", " : "", sizes[i], Best(Copy, &memory));
    free(memory.buffer);
  }
  printf("]}\n");
  return 0;
}
