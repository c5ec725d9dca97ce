// A plugin's buffer; owns its handle. As thread-safe as the interface requires.
#ifndef TENON_PJRT_C_API_CLIENT_BUFFER_H_
#define TENON_PJRT_C_API_CLIENT_BUFFER_H_

#include <memory>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/c_api_client/device.h"
#include "tenon/pjrt/interface/buffer.h"

namespace tenon::pjrt::c_api_client {

class CApiBuffer final : public Buffer {
 public:
  // Takes ownership of `buffer`, even if it fails. `handles` must outlive the buffer.
  static StatusOr<std::unique_ptr<Buffer>> Make(const CallTable& table,
                                                const Handles& handles,
                                                PJRT_Buffer* buffer);
  ~CApiBuffer() override;
  CApiBuffer(const CApiBuffer&) = delete;

  ElementType element_type() const override { return element_type_; }
  std::span<const int64_t> dims() const override { return dims_; }
  std::span<const int64_t> minor_to_major() const override { return minor_to_major_; }
  MemorySpace* memory() const override { return memory_; }
  Device* device() const override { return device_; }
  bool is_on_cpu() const override { return is_on_cpu_; }
  StatusOr<size_t> OnDeviceSizeInBytes() const override;
  size_t HostSizeInBytes() const override;
  Event ReadyEvent() override;
  void Delete() override;
  bool IsDeleted() const override;
  Event ToHost(void* dst, size_t dst_size,
               std::optional<std::span<const int64_t>> byte_strides) override;
  Event CopyRawToHost(void* dst, int64_t offset, int64_t size) override;
  Event CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location, int64_t offset,
                            int64_t size) override;
  StatusOr<std::unique_ptr<Buffer>> CopyToMemory(MemorySpace* memory) override;
  StatusOr<std::unique_ptr<Buffer>> Bitcast(const ArrayShape& shape) override;
  StatusOr<std::unique_ptr<Buffer>> DonateWithControlDependency(
      Event dependency) override;
  Status IncreaseExternalReferenceCount() override;
  Status DecreaseExternalReferenceCount() override;
  StatusOr<void*> OpaquePointer() override;
  StatusOr<uintptr_t> UnsafePointer() override;

  PJRT_Buffer* c_buffer() const { return buffer_; }

 private:
  CApiBuffer(const CallTable& table, const Handles& handles, PJRT_Buffer* buffer)
      : table_(table), handles_(handles), buffer_(buffer) {}
  Status Read();
  Status ReadLayout();

  const CallTable table_;
  const Handles& handles_;
  PJRT_Buffer* const buffer_;
  ElementType element_type_ = ElementType::kInvalid;
  std::vector<int64_t> dims_, minor_to_major_;
  MemorySpace* memory_ = nullptr;
  Device* device_ = nullptr;
  bool is_on_cpu_ = false;
};

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_BUFFER_H_
