// The metadata of an image as CBOR: everything except the bytes of code and constants.
//
// Pure functions; callable from any thread.
#ifndef TENON_EXECUTABLE_IMAGE_METADATA_H_
#define TENON_EXECUTABLE_IMAGE_METADATA_H_

#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// The range of a code object in the code section, in bytes.
struct CodeExtent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// `extents` has one element per code object.
std::vector<uint8_t> EncodeMetadata(const Image& image,
                                    const std::vector<CodeExtent>& extents);
// Fills image->info, image->code_objects without their bytes, and one extent per code
// object. DATA_LOSS if `cbor` is malformed.
Status DecodeMetadata(std::string_view cbor, Image* image,
                      std::vector<CodeExtent>* extents);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_IMAGE_METADATA_H_
