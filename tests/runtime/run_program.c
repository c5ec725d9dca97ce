/* run_program FILE [--wait] [--threads N]: runs a .tenon file of f32 inputs and outputs.
 * Element i of an input is (i % 17 - 8) / 8. Prints the time of opening, the resident
 * memory after it, and the first elements and the sum of each output. With --wait it then
 * waits for a line on standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tenon/runtime.h"

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static long resident_kb(void) {
  char line[128];
  long kb = 0;
  FILE* file = fopen("/proc/self/status", "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kb);
  fclose(file);
  return kb;
}

static int fail(const tenon_error* error) {
  printf("error %d: %s\n", error->code, error->message);
  return 1;
}

int main(int argc, char** argv) {
  tenon_program* program;
  tenon_team* team = NULL;
  tenon_error error;
  const long before_kb = resident_kb();
  const double start = now_ms();
  if (argc < 2 || tenon_program_open(argv[1], NULL, &program, &error))
    return fail(&error);
  const double opened = now_ms();
  const long after_kb = resident_kb();
  int wait = 0;
  for (int i = 2; i < argc; ++i) {
    if (!strcmp(argv[i], "--wait")) wait = 1;
    if (!strcmp(argv[i], "--threads") &&
        tenon_team_create(atoi(argv[i + 1]), &team, &error))
      return fail(&error);
  }
  const tenon_signature* signature = tenon_program_signature(program);
  const void* inputs[16];
  void* outputs[16];
  if (signature->num_inputs > 16 || signature->num_outputs > 16) return 1;
  for (size_t i = 0; i < signature->num_inputs; ++i) {
    float* x = aligned_alloc(64, (signature->inputs[i].bytes + 64) / 64 * 64);
    for (size_t k = 0; k < signature->inputs[i].bytes / 4; ++k)
      x[k] = ((int)(k % 17) - 8) / 8.0f;
    inputs[i] = x;
  }
  for (size_t i = 0; i < signature->num_outputs; ++i)
    outputs[i] = aligned_alloc(64, (signature->outputs[i].bytes + 64) / 64 * 64);
  if (tenon_program_run(program, team, inputs, outputs, NULL, &error))
    return fail(&error);
  printf("target %s\nopened_ms %.3f\nopened_kb %ld\n", tenon_program_target(program),
         opened - start, after_kb - before_kb);
  for (size_t i = 0; i < signature->num_outputs; ++i) {
    const float* y = outputs[i];
    const size_t count = signature->outputs[i].bytes / 4;
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += y[k];
    printf("output %zu %.9g %.9g %.9g\n", i, count ? y[0] : 0, count > 1 ? y[1] : 0, sum);
  }
  fflush(stdout);
  if (wait) getchar();
  tenon_team_destroy(team);
  tenon_program_close(program);
  return 0;
}
