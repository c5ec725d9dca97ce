/* Reads images of 8x8 numbers from 0 to 16, from files or standard input, and prints the
 * digit that each shows. The network is digits.o; nothing else is linked. */
#include <stdio.h>

#include "digits.h"

enum { kPixels = 64, kDigits = 10 };

/* The scratch memory of a call, which must be aligned to 64 bytes. */
static _Alignas(64) unsigned char arena[DIGITS_ARENA_BYTES];

/* Reads one image: 1, or 0 at the end of the file, or -1 with a message. */
static int read_image(FILE* file, const char* name, long image, float x[kPixels]) {
  for (int i = 0; i < kPixels; ++i) {
    const int found = fscanf(file, "%f", &x[i]);
    if (found == EOF && i == 0 && !ferror(file)) return 0;
    if (found == EOF)
      fprintf(stderr, "%s: image %ld has %d numbers, not %d\n", name, image, i, kPixels);
    else if (found == 0)
      fprintf(stderr, "%s: image %ld: what follows number %d is not a number\n", name,
              image, i);
    if (found != 1) return -1;
  }
  return 1;
}

static int classify(FILE* file, const char* name) {
  _Alignas(64) float x[kPixels], scores[kDigits];
  for (long image = 1;; ++image) {
    const int found = read_image(file, name, image, x);
    if (found <= 0) return found;
    digits_run(x, scores, arena);
    int best = 0;
    for (int i = 1; i < kDigits; ++i)
      if (scores[i] > scores[best]) best = i;
    printf("%d\n", best);
  }
}

int main(int argc, char** argv) {
  if (!digits_supported()) {
    fprintf(stderr, "this processor cannot run code for %s\n", digits_info.target);
    return 1;
  }
  if (argc == 1) return classify(stdin, "standard input") != 0;
  for (int i = 1; i < argc; ++i) {
    FILE* file = fopen(argv[i], "r");
    if (!file) {
      perror(argv[i]);
      return 1;
    }
    const int result = classify(file, argv[i]);
    fclose(file);
    if (result != 0) return 1;
  }
  return 0;
}
