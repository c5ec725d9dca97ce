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

std::vector<uint8_t> EncodeMetadata(const Image& image);
// Fills image->info and image->code but for the bytes. DATA_LOSS if `cbor` is malformed.
Status DecodeMetadata(std::string_view cbor, Image* image);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_IMAGE_METADATA_H_
