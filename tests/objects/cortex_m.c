/* Starts a program on a Cortex-M in qemu-system-arm. Newlib's semihosting does the rest.
 */
extern void _start(void);

static void reset(void) {
  *(volatile unsigned*)0xE000ED88 |= 0xFu << 20; /* CPACR: access to the FPU */
  __asm__ volatile("dsb\n\tisb");
  _start();
}

static void fault(void) {
  for (;;) __asm__ volatile("bkpt 0xff");
}

extern char stack_top[];
__attribute__((section(".vectors"), used)) static void* const vectors[] = {
    stack_top, reset, fault, fault, fault, fault, fault};

/* The heap is between the program's data and the stack, for which it leaves 64 KB. */
extern char end[];
void* _sbrk(long bytes) {
  static char* limit = end;
  char* old = limit;
  if (bytes > stack_top - 65536 - limit) return (void*)-1;
  limit += bytes;
  return old;
}
