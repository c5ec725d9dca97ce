// Temporaries that the devices of a group keep in the same memory.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_SEGMENTS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_SEGMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tenon/executable/image.h"

namespace tenon::compiler {

// Whether all members of a group get the same elements, and some group has several.
bool WritesMembersAlike(const ImageCollective& collective);

// The groups as sets.
std::vector<std::vector<int64_t>> SortedGroups(const ImageCollective& collective);

// The shared segments of a program, one for each division of the devices into groups.
//
// Only collectives of the same groups write into a segment, and the same elements for all
// members. A collective runs once, when all members have come to it. So what lies there
// and is not used behind it in the program is not used by any member any more, and each
// member sees what it would see in its own memory.
class SharedSegments {
 public:
  // The number of the segment for a result of `bytes` bytes of `collective`, whose number
  // is `site`. None if the members must have their own memory, or it saves too little.
  std::optional<int64_t> Find(const ImageCollective& collective, int64_t site,
                              int64_t bytes);
  // By segment: the first collective that writes there.
  const std::vector<int64_t>& sites() const { return sites_; }

 private:
  std::vector<std::vector<std::vector<int64_t>>> groups_;  // by segment, sorted
  std::vector<int64_t> sites_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_SHARED_SEGMENTS_H_
