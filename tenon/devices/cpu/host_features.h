// The features of this machine's processor. Needs no C++ library, because the C library
// (tenon/embed) contains it.
#ifndef TENON_DEVICES_CPU_HOST_FEATURES_H_
#define TENON_DEVICES_CPU_HOST_FEATURES_H_

#include <string_view>

namespace tenon::cpu {

// As in LLVM's triples.
extern const char kHostArchitecture[];

// Calls visit(context, name) for each feature, by LLVM's name, that both the processor
// and the operating system support. Asks the system for permission to use tile registers.
// Takes some microseconds.
void VisitHostFeatures(void (*visit)(void* context, std::string_view name),
                       void* context);

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_HOST_FEATURES_H_
