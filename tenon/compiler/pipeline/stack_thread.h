// Runs a function on a thread with a large stack.
#ifndef TENON_COMPILER_PIPELINE_STACK_THREAD_H_
#define TENON_COMPILER_PIPELINE_STACK_THREAD_H_

#include <functional>

#include "tenon/base/status.h"

namespace tenon::compiler {

// Calls `body` on a new thread with a stack of 32 MiB and waits for it.
// RESOURCE_EXHAUSTED if there can be no such thread.
Status RunOnLargeStack(const std::function<void()>& body);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_STACK_THREAD_H_
