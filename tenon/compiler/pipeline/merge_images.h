// Merges the images that a program was compiled to, one per target, into one. Stateless.
#ifndef TENON_COMPILER_PIPELINE_MERGE_IMAGES_H_
#define TENON_COMPILER_PIPELINE_MERGE_IMAGES_H_

#include "tenon/executable/image.h"

namespace tenon::compiler {

// Adds the code of `other`, the same program for another target, to `image`. Constants
// that both have are stored once.
void AddCode(Image other, Image& image);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_MERGE_IMAGES_H_
