#include "tenon/compiler/pipeline/merge_images.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace tenon::compiler {
namespace {

std::span<const uint8_t> ConstantsOf(const CodeObject& code, const Image& image) {
  return image.constants.bytes().subspan(code.constants_offset, code.constants_size);
}

// Returns the offset of equal constants in the image, if it has them.
std::optional<uint64_t> FindConstants(std::span<const uint8_t> constants,
                                      const Image& image) {
  for (const CodeObject& code : image.code_objects)
    if (std::ranges::equal(ConstantsOf(code, image), constants))
      return code.constants_offset;
  return std::nullopt;
}

uint64_t AppendConstants(std::span<const uint8_t> constants, Image& image) {
  const std::span<const uint8_t> old = image.constants.bytes();
  const uint64_t offset =
      (old.size() + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment;
  ConstantData both(offset + constants.size());
  std::ranges::copy(old, both.data());
  std::ranges::copy(constants, both.data() + offset);
  both.Seal();
  image.constants = std::move(both);
  return offset;
}

}  // namespace

void AddCode(Image other, Image& image) {
  for (CodeObject& code : other.code_objects) {
    const std::span<const uint8_t> constants = ConstantsOf(code, other);
    const std::optional<uint64_t> found = FindConstants(constants, image);
    code.constants_offset = found ? *found : AppendConstants(constants, image);
    image.code_objects.push_back(std::move(code));
  }
}

}  // namespace tenon::compiler
