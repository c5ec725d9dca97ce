#include "tenon/executable/image.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "tenon/executable/build_fingerprint.h"
#include "tenon/executable/image_metadata.h"
#include "tenon/executable/validate.h"

namespace tenon {
namespace {

constexpr char kMagic[8] = {'T', 'e', 'n', 'o', 'n', 'I', 'm', 'g'};
constexpr uint32_t kFormatVersion = 3;
constexpr size_t kSectionAlignment = 64;

// The header of an image file. Aligned sections follow. Little-endian.
struct Header {
  char magic[8];
  uint32_t format_version;
  uint32_t checksum;  // CRC-32 of everything from `fingerprint` on
  char fingerprint[32];
  uint64_t total_size;
  uint64_t metadata_offset, metadata_size;
  uint64_t code_offset, code_size;
  uint64_t constants_offset, constants_size;
};
static_assert(sizeof(Header) == 104);
constexpr size_t kChecked = offsetof(Header, fingerprint);

size_t Align(size_t size) {
  return (size + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

uint32_t Checksum(const char* data, size_t size) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(data), size));
}

bool Section(std::string_view bytes, uint64_t offset, uint64_t size,
             std::string_view* out) {
  if (offset > bytes.size() || size > bytes.size() - offset) return false;
  *out = bytes.substr(offset, size);
  return true;
}

}  // namespace

std::string_view CollectiveName(CollectiveKind kind) {
  constexpr std::string_view kNames[] = {
      "all_reduce",         "all_gather",           "reduce_scatter",   "all_to_all",
      "collective_permute", "collective_broadcast", "ragged_all_to_all"};
  static_assert(std::size(kNames) == kNumCollectiveKinds);
  return kNames[static_cast<size_t>(kind)];
}

int64_t ImageTensor::ByteSize() const {
  int64_t bytes = ElementBytes(type);
  for (int64_t dim : dims) bytes *= dim;
  return bytes;
}

std::string Image::Serialize() const {
  // The code objects follow one another in the code section.
  std::vector<CodeExtent> extents;
  uint64_t code_size = 0;
  for (const CodeObject& object : code_objects) {
    extents.push_back({Align(code_size), object.bytes.size()});
    code_size = extents.back().offset + extents.back().size;
  }
  const std::vector<uint8_t> metadata = EncodeMetadata(*this, extents);
  Header header = {};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.format_version = kFormatVersion;
  BuildFingerprint().copy(header.fingerprint, sizeof header.fingerprint);
  header.metadata_offset = Align(sizeof header);
  header.metadata_size = metadata.size();
  header.code_offset = Align(header.metadata_offset + metadata.size());
  header.code_size = code_size;
  header.constants_offset = Align(header.code_offset + code_size);
  header.constants_size = constants.size();
  header.total_size = header.constants_offset + constants.size();

  std::string out(header.total_size, '\0');
  std::memcpy(out.data(), &header, sizeof header);
  std::copy(metadata.begin(), metadata.end(), out.begin() + header.metadata_offset);
  for (size_t i = 0; i < extents.size(); ++i) {
    std::ranges::copy(code_objects[i].bytes,
                      out.begin() + header.code_offset + extents[i].offset);
  }
  std::ranges::copy(constants.bytes(), out.begin() + header.constants_offset);
  header.checksum = Checksum(out.data() + kChecked, out.size() - kChecked);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

namespace {

// Reads the header. An error unless the bytes are complete and of this format and build.
StatusOr<Header> ReadHeader(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) {
    return DataLoss("an executable image of " + std::to_string(bytes.size()) +
                    " bytes is too short");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!std::equal(std::begin(kMagic), std::end(kMagic), header.magic)) {
    return DataLoss("the bytes are not an executable image of Tenon");
  }
  if (header.format_version != kFormatVersion) {
    return FailedPrecondition(
        "the image has format version " + std::to_string(header.format_version) +
        ", but this build reads version " + std::to_string(kFormatVersion) +
        "; compile the program again, or load it with a build as " +
        (header.format_version > kFormatVersion ? "new" : "old") + " as the image");
  }
  if (header.total_size != bytes.size()) {
    return DataLoss("the image is truncated or corrupt: it has " +
                    std::to_string(bytes.size()) + " bytes, but its header says " +
                    std::to_string(header.total_size));
  }
  if (header.checksum != Checksum(bytes.data() + kChecked, bytes.size() - kChecked)) {
    return DataLoss("the image is corrupt: its checksum does not match");
  }
  const std::string_view fingerprint(header.fingerprint, sizeof header.fingerprint);
  if (fingerprint != BuildFingerprint()) {
    return FailedPrecondition("the image was compiled by build " +
                              std::string(fingerprint) + " of Tenon, but this is build " +
                              std::string(BuildFingerprint()) +
                              "; compile the program again");
  }
  return header;
}

}  // namespace

StatusOr<Image> Image::Deserialize(std::string_view bytes) {
  TENON_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes));
  std::string_view metadata, code, constants;
  if (!Section(bytes, header.metadata_offset, header.metadata_size, &metadata) ||
      !Section(bytes, header.code_offset, header.code_size, &code) ||
      !Section(bytes, header.constants_offset, header.constants_size, &constants)) {
    return DataLoss("a section of the image is out of bounds");
  }
  Image image;
  std::vector<CodeExtent> extents;
  TENON_RETURN_IF_ERROR(DecodeMetadata(metadata, &image, &extents));
  for (size_t i = 0; i < extents.size(); ++i) {
    std::string_view object;
    if (!Section(code, extents[i].offset, extents[i].size, &object)) {
      return DataLoss("code object " + std::to_string(i) +
                      " of the image is out of bounds");
    }
    image.code_objects[i].bytes.assign(object.begin(), object.end());
  }
  image.constants = ConstantData(std::span<const uint8_t>(
      reinterpret_cast<const uint8_t*>(constants.data()), constants.size()));
  image.constants.Seal();
  TENON_RETURN_IF_ERROR(ValidateImage(image));
  return image;
}

}  // namespace tenon
