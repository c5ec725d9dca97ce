// The metadata of an image as CBOR: everything but the code and constant bytes.
//
// Stateless functions on values; any thread.
#ifndef TENON_EXECUTABLE_IMAGE_METADATA_H_
#define TENON_EXECUTABLE_IMAGE_METADATA_H_

#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// Where in the code section the bytes of a code object are.
struct CodeExtent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// One extent a code object.
std::vector<uint8_t> EncodeMetadata(const Image& image,
                                    const std::vector<CodeExtent>& extents);
// Fills image->info and image->code_objects but for their bytes, and one extent for each.
// DATA_LOSS if `cbor` is malformed.
Status DecodeMetadata(std::string_view cbor, Image* image,
                      std::vector<CodeExtent>* extents);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_IMAGE_METADATA_H_
