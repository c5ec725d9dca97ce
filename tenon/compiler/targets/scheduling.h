// A bound on the time of LLVM's scheduler. Call before code of any target is emitted; any
// thread.
#ifndef TENON_COMPILER_TARGETS_SCHEDULING_H_
#define TENON_COMPILER_TARGETS_SCHEDULING_H_

namespace tenon::compiler {

// The scheduler compares each access to memory with the others of its block, up to a
// number of them; then it treats the older ones as one. Lowers that number, which is an
// option of the process. Returns whether LLVM has the option.
bool BoundScheduling();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_SCHEDULING_H_
