// How this machine moves bytes. Needs no C++ library, because the C library (tenon/embed)
// contains it.
#ifndef TENON_DEVICES_CPU_HOST_MOVE_H_
#define TENON_DEVICES_CPU_HOST_MOVE_H_

#include <cstddef>

namespace tenon::cpu {

using MoveFunction = void* (*)(void* to, const void* from, size_t bytes);

// memmove, except where its `rep movsb` takes up to ten times as long as it should: on
// AMD's processors, if more than about 2 KB go to an address that is less than a cache
// line behind the source's, modulo 4096. Such copies are made in pieces, for which glibc
// uses vectors. (6 GB/s became 60 in the caches of a Zen 3, 2.5 became 8 in memory; glibc
// 2.36.)
MoveFunction HostMove();

// That function. For tests, on any processor.
void* MoveInPieces(void* to, const void* from, size_t bytes);

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_HOST_MOVE_H_
