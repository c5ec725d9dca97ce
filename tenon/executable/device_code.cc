#include "tenon/executable/device_code.h"

#include <bit>
#include <cstring>
#include <utility>

namespace tenon {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kVersion = 2;

class Writer {
 public:
  void Number(uint32_t value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  template <typename T>
  void Bytes(const T& text) {
    Number(static_cast<uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

// Reads in the order of writing. After the first error everything reads as zero.
class Reader {
 public:
  explicit Reader(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  uint32_t Number() {
    uint32_t value = 0;
    if (const uint8_t* data = Next(sizeof value)) std::memcpy(&value, data, sizeof value);
    return value;
  }
  template <typename T>
  T Bytes() {
    const uint32_t size = Number();
    const uint8_t* data = Next(size);
    return data ? T(data, data + size) : T();
  }
  size_t left() const { return bytes_.size() - position_; }
  bool ok() const { return ok_; }

 private:
  const uint8_t* Next(size_t size) {
    if (!ok_ || size > left()) {
      ok_ = false;
      return nullptr;
    }
    position_ += size;
    return bytes_.data() + position_ - size;
  }

  const std::vector<uint8_t>& bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace

std::vector<uint8_t> DeviceCode::Serialize() const {
  Writer writer;
  writer.Number(kVersion);
  writer.Bytes(format);
  writer.Bytes(module);
  writer.Number(static_cast<uint32_t>(kernels.size()));
  for (const DeviceKernel& kernel : kernels) {
    writer.Bytes(kernel.name);
    writer.Number(kernel.group_size);
    writer.Number(kernel.subgroup_size);
    writer.Number(kernel.dynamic_local_bytes);
    writer.Bytes(kernel.arguments);
    writer.Number(kernel.source_kernel);
  }
  return writer.Take();
}

StatusOr<DeviceCode> DeviceCode::Deserialize(const std::vector<uint8_t>& bytes) {
  Reader reader(bytes);
  if (reader.Number() != kVersion) {
    return DataLoss("the device code of the image has an unknown version");
  }
  DeviceCode code;
  code.format = reader.Bytes<std::string>();
  code.module = reader.Bytes<std::string>();
  const uint32_t count = reader.Number();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    DeviceKernel& kernel = code.kernels.emplace_back();
    kernel.name = reader.Bytes<std::string>();
    kernel.group_size = reader.Number();
    kernel.subgroup_size = reader.Number();
    kernel.dynamic_local_bytes = reader.Number();
    kernel.arguments = reader.Bytes<std::vector<uint8_t>>();
    kernel.source_kernel = reader.Number();
    if (!reader.ok()) break;
    if (kernel.name.empty() || kernel.group_size == 0) {
      return DataLoss("kernel " + std::to_string(i) +
                      " of the device code has no name or no group size");
    }
    for (uint8_t size : kernel.arguments) {
      if (size > 8 || (size != 0 && !std::has_single_bit(size))) {
        return DataLoss("an argument of kernel '" + kernel.name + "' has " +
                        std::to_string(size) + " bytes");
      }
    }
  }
  if (!reader.ok() || reader.left() != 0) {
    return DataLoss("the device code of the image is truncated or damaged");
  }
  return code;
}

}  // namespace tenon
