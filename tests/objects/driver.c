/* Runs the programs of a batch (tenon_test_objects_main.cc): reads inputs.bin, writes
 * results.bin. With WITH_STACK, each runs on a painted stack, which shows how much it
 * takes. With WITH_THREADS, parallel loops run on two threads. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"

#define X(name, stack)                                                        \
  int name##_call(const tenon_env*, const void* const*, void* const*, void*); \
  int name##_supported(void);                                                 \
  extern const tenon_model_info name##_info;
#include "programs.h"
#undef X

typedef struct {
  int (*call)(const tenon_env*, const void* const*, void* const*, void*);
  int (*supported)(void);
  const tenon_model_info* info;
  unsigned long stack;
} program;

static const program programs[] = {
#define X(name, stack) {name##_call, name##_supported, &name##_info, stack},
#include "programs.h"
#undef X
};

/* The memory of the program that runs. */
static void* blocks[2000];
static int num_blocks;

static void* aligned(uint64_t bytes) {
  char* memory = malloc((size_t)bytes + 128);
  if (!memory) abort();
  blocks[num_blocks++] = memory;
  return memory + (64 - (uintptr_t)memory % 64);
}

static const tenon_env* env;

#ifdef WITH_THREADS
#include <pthread.h>

typedef struct {
  void (*body)(void*, int64_t);
  void* data;
  int64_t first, chunks;
} half;

static void* run_half(void* argument) {
  const half* mine = argument;
  for (int64_t i = mine->first; i < mine->chunks; i += 2) mine->body(mine->data, i);
  return NULL;
}

static void parallel_for(void* user, void (*body)(void*, int64_t), void* data,
                         int64_t chunks) {
  half even = {body, data, 0, chunks}, odd = {body, data, 1, chunks};
  pthread_t thread;
  (void)user;
  if (pthread_create(&thread, NULL, run_half, &odd)) abort();
  run_half(&even);
  pthread_join(thread, NULL);
}

static const tenon_env two_threads = {NULL, parallel_for};
#endif

#ifdef WITH_STACK
static const program* current;
static const void** current_args;
static void **current_results, *current_arena;

static __attribute__((noinline)) void enter(void) {
  if (current) current->call(env, current_args, current_results, current_arena);
}

#ifdef __arm__
/* No interrupt comes, so all below the stack pointer is free. */
enum { kStack = 1 << 14 };
static unsigned long measure(void) {
  volatile unsigned char* top;
  unsigned long i;
  __asm__ volatile("mov %0, sp" : "=r"(top));
  for (i = 1; i <= kStack; ++i) top[-(long)i] = 0xa5;
  enter();
  for (i = kStack; i > 0 && top[-(long)i] == 0xa5;) --i;
  return i;
}
#else
#include <ucontext.h>

enum { kStack = 1 << 20 };
static ucontext_t caller, callee;
static unsigned char stack[kStack];

static unsigned long measure(void) {
  unsigned long untouched = 0;
  memset(stack, 0xa5, kStack);
  getcontext(&callee);
  callee.uc_stack.ss_sp = stack;
  callee.uc_stack.ss_size = kStack;
  callee.uc_link = &caller;
  makecontext(&callee, enter, 0);
  swapcontext(&caller, &callee);
  while (untouched < kStack && stack[untouched] == 0xa5) ++untouched;
  return kStack - untouched;
}
#endif
#endif

int main(void) {
  FILE *inputs = fopen("inputs.bin", "rb"), *results = fopen("results.bin", "wb");
  int failed = 0;
  if (!inputs || !results) return 2;
#ifdef WITH_THREADS
  env = &two_threads;
#endif
  for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
    const program* p = &programs[i];
    const tenon_model_info* info = p->info;
    const void* args[512];
    void *outs[512], *arena = aligned(info->arena_bytes);
    int code;
    if (info->num_args > 512 || info->num_results > 512 || p->supported() == 0) return 3;
    for (uint64_t a = 0; a < info->num_args; ++a) {
      void* memory = aligned(info->args[a].bytes);
      if (fread(memory, 1, info->args[a].bytes, inputs) != info->args[a].bytes) return 4;
      args[a] = memory;
    }
    for (uint64_t r = 0; r < info->num_results; ++r)
      outs[r] = info->results[r].alias < 0 ? aligned(info->results[r].bytes)
                                           : (void*)args[info->results[r].alias];
    code = p->call(env, args, outs, arena);
    if (code != 0) {
      printf("%s returned %d\n", info->name, code);
      failed = 1;
    }
    for (uint64_t r = 0; r < info->num_results; ++r)
      fwrite(outs[r], 1, info->results[r].bytes, results);
#ifdef WITH_STACK
    {
      unsigned long used, empty;
      current = NULL;
      empty = measure();
      current = p;
      current_args = args;
      current_results = outs;
      current_arena = arena;
      used = measure() - empty;
      if (used > p->stack) {
        printf("%s: %lu bytes of stack used, %lu stated\n", info->name, used, p->stack);
        failed = 1;
      }
    }
#endif
    fflush(results);
    while (num_blocks > 0) free(blocks[--num_blocks]);
  }
  fclose(results);
  return failed;
}
