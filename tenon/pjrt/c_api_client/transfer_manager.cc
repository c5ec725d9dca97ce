#include "tenon/pjrt/c_api_client/transfer_manager.h"

#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/named_values.h"
#include "tenon/pjrt/c_api_client/buffer.h"

namespace tenon::pjrt::c_api_client {
namespace {

class CApiTransferManager final : public AsyncHostToDeviceTransferManager {
 public:
  CApiTransferManager(const CallTable& table, const Handles& handles,
                      PJRT_AsyncHostToDeviceTransferManager* manager)
      : table_(table), handles_(handles), manager_(manager) {}
  CApiTransferManager(const CApiTransferManager&) = delete;
  ~CApiTransferManager() override {
    TENON_PJRT_ARGS(args, PJRT_AsyncHostToDeviceTransferManager_Destroy);
    args.transfer_manager = manager_;
    (void)TENON_PJRT_CALL(table_, PJRT_AsyncHostToDeviceTransferManager_Destroy, args);
  }

  Status Read() {
    TENON_PJRT_ARGS(device, PJRT_AsyncHostToDeviceTransferManager_Device);
    device.transfer_manager = manager_;
    TENON_RETURN_IF_ERROR(
        TENON_PJRT_CALL(table_, PJRT_AsyncHostToDeviceTransferManager_Device, device));
    device_ = handles_.Find(device.device_out);
    TENON_PJRT_ARGS(count, PJRT_AsyncHostToDeviceTransferManager_BufferCount);
    count.transfer_manager = manager_;
    TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(
        table_, PJRT_AsyncHostToDeviceTransferManager_BufferCount, count));
    for (size_t i = 0; i < count.buffer_count; ++i) {
      TENON_PJRT_ARGS(size, PJRT_AsyncHostToDeviceTransferManager_BufferSize);
      size.transfer_manager = manager_;
      size.buffer_index = static_cast<int>(i);
      TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(
          table_, PJRT_AsyncHostToDeviceTransferManager_BufferSize, size));
      sizes_.push_back(size.buffer_size);
    }
    return OkStatus();
  }

  size_t buffer_count() const override { return sizes_.size(); }
  Device* device() const override { return device_; }
  size_t BufferSize(size_t index) const override { return sizes_[index]; }
  StatusOr<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) override {
    TENON_PJRT_ARGS(args, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer);
    args.transfer_manager = manager_;
    args.buffer_index = static_cast<int>(index);
    TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(
        table_, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args));
    return CApiBuffer::Make(table_, handles_, args.buffer_out);
  }
  StatusOr<Event> TransferData(size_t index, const void* data, int64_t offset,
                               int64_t size, bool last) override {
    TENON_PJRT_ARGS(args, PJRT_AsyncHostToDeviceTransferManager_TransferData);
    args.transfer_manager = manager_;
    args.buffer_index = static_cast<int>(index);
    args.data = data;
    args.offset = offset;
    args.transfer_size = size;
    args.is_last_transfer = last;
    TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(
        table_, PJRT_AsyncHostToDeviceTransferManager_TransferData, args));
    return table_.TakeEvent(args.done_with_h2d_transfer);
  }
  StatusOr<Event> TransferLiteral(size_t index, const HostArray& literal) override {
    PJRT_Buffer_MemoryLayout layout{};
    TENON_PJRT_ARGS(args, PJRT_AsyncHostToDeviceTransferManager_TransferLiteral);
    args.transfer_manager = manager_;
    args.buffer_index = static_cast<int>(index);
    args.data = literal.data;
    args.shape_dims = literal.dims.data();
    args.shape_num_dims = literal.dims.size();
    args.shape_element_type = ToC(literal.type);
    if (literal.byte_strides) {
      layout = StridedLayout(*literal.byte_strides);
      args.shape_layout = &layout;
    }
    TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(
        table_, PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, args));
    return table_.TakeEvent(args.done_with_h2d_transfer);
  }
  void SetBufferError(size_t index, Status error) override {
    TENON_PJRT_ARGS(args, PJRT_AsyncHostToDeviceTransferManager_SetBufferError);
    args.transfer_manager = manager_;
    args.buffer_index = static_cast<int>(index);
    args.error_code = static_cast<PJRT_Error_Code>(error.code());
    args.error_message = error.message().data();
    args.error_message_size = error.message().size();
    (void)TENON_PJRT_CALL(table_, PJRT_AsyncHostToDeviceTransferManager_SetBufferError,
                          args);
  }
  void AddMetadata(const NamedValueMap& metadata) override {
    c_api::NamedValueArray values(metadata);
    TENON_PJRT_ARGS(args, PJRT_AsyncHostToDeviceTransferManager_AddMetadata);
    args.transfer_manager = manager_;
    args.transfer_metadata = values.data();
    args.num_metadata = values.size();
    (void)TENON_PJRT_CALL(table_, PJRT_AsyncHostToDeviceTransferManager_AddMetadata,
                          args);
  }

 private:
  const CallTable table_;
  const Handles& handles_;
  PJRT_AsyncHostToDeviceTransferManager* const manager_;
  Device* device_ = nullptr;
  std::vector<size_t> sizes_;
};

}  // namespace

StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>> MakeTransferManager(
    const CallTable& table, const Handles& handles,
    PJRT_AsyncHostToDeviceTransferManager* manager) {
  auto result = std::make_unique<CApiTransferManager>(table, handles, manager);
  TENON_RETURN_IF_ERROR(result->Read());
  return std::unique_ptr<AsyncHostToDeviceTransferManager>(std::move(result));
}

}  // namespace tenon::pjrt::c_api_client
