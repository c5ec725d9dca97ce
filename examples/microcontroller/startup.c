/* Starts main on a Cortex-M with an FPU. */
#include <stdint.h>

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[];
extern void stack_top(void);
int main(void);

static void reset(void) {
  *(volatile uint32_t*)0xE000ED88 |= 0xFu << 20; /* CPACR: access to the FPU */
  __asm__ volatile("dsb\n\tisb");
  for (uint32_t *from = data_load, *to = data_start; to < data_end;) *to++ = *from++;
  for (uint32_t* to = bss_start; to < bss_end;) *to++ = 0;
  main();
  for (;;) {
  }
}

static void fault(void) {
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    stack_top, reset, fault, fault, fault, fault, fault};
