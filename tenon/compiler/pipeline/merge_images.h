// One image out of those that a program was compiled to, target by target. Stateless.
#ifndef TENON_COMPILER_PIPELINE_MERGE_IMAGES_H_
#define TENON_COMPILER_PIPELINE_MERGE_IMAGES_H_

#include "tenon/executable/image.h"

namespace tenon::compiler {

// Adds the code of `other`, the same program for one more target, to `image`. Constants
// that both have are kept once.
void AddCode(Image other, Image& image);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_MERGE_IMAGES_H_
