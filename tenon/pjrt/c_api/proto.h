// Writers for the protocol buffers that the C API returns.
#ifndef TENON_PJRT_C_API_PROTO_H_
#define TENON_PJRT_C_API_PROTO_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tenon/pjrt/interface/program.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt::c_api {

class ProtoWriter {
 public:
  void Int(int field, int64_t value) {
    Varint(static_cast<uint64_t>(field) << 3);
    Varint(static_cast<uint64_t>(value));
  }
  void Bytes(int field, std::string_view bytes) {
    Varint(static_cast<uint64_t>(field) << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
  }
  // Writes a packed field; writes nothing if `values` is empty.
  void Ints(int field, std::span<const int64_t> values) {
    if (values.empty()) return;
    ProtoWriter packed;
    for (int64_t value : values) packed.Varint(static_cast<uint64_t>(value));
    Bytes(field, packed.bytes_);
  }
  std::string Take() && { return std::move(bytes_); }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// An xla.DeviceAssignmentProto; empty for a portable executable.
std::string SerializeDeviceAssignment(const DeviceAssignment& assignment);

// An xla.ShapeProto of a dense array.
std::string SerializeShape(ElementType type, std::span<const int64_t> dims,
                           std::span<const int64_t> minor_to_major);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_PROTO_H_
