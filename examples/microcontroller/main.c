/* Classifies handwritten digits on a Cortex-M without any C library: prints images and
 * the digit that the network sees in each to the serial port, and ends the simulation. */
#include <stdint.h>

#include "digits.h"
#include "images.h" /* kImages, images[kImages][64], labels[kImages] */

/* The serial port of the boards that Arm's MPS2 images emulate. */
#define UART ((volatile uint32_t*)0x40004000)
enum { kData = 0, kState = 1, kControl = 2, kTransmitFull = 1, kTransmitEnable = 1 };

static _Alignas(64) unsigned char arena[DIGITS_ARENA_BYTES];

static void put(char c) {
  while (UART[kState] & kTransmitFull) {
  }
  UART[kData] = (uint32_t)c;
}

static void print(const char* text) {
  for (; *text; ++text) put(*text);
}

/* Ends the simulation by Arm's semihosting: SYS_EXIT_EXTENDED with an exit status. */
static void leave(uint32_t status) {
  const uint32_t block[2] = {0x20026 /* ADP_Stopped_ApplicationExit */, status};
  register uint32_t operation __asm__("r0") = 0x20;
  register const uint32_t* argument __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
}

static int classify(const uint8_t image[64]) {
  _Alignas(64) float x[64], scores[10];
  int best = 0;
  for (int i = 0; i < 64; ++i) x[i] = image[i];
  digits_run(x, scores, arena);
  for (int i = 1; i < 10; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

int main(void) {
  uint32_t wrong = 0;
  UART[kControl] = kTransmitEnable;
  for (int i = 0; i < kImages; ++i) {
    const int digit = classify(images[i]);
    for (int p = 0; p < 64; ++p) {
      put(" .:-=+*#%@"[images[i][p] * 9 / 16]);
      if (p % 8 == 7) print("\n");
    }
    print("this is a ");
    put((char)('0' + digit));
    print(digit == labels[i] ? "\n\n" : " (wrong)\n\n");
    wrong += digit != labels[i];
  }
  leave(wrong != 0);
  return 0;
}
