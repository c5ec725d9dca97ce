// Buffer: an array in the memory of a device.
//
// A Buffer owns its device memory and can be moved. A buffer that was moved from, reset
// or donated is refused with FAILED_PRECONDITION before the plugin sees it. Any thread
// may call const functions.
#ifndef TENON_PJRT_CPP_BUFFER_HPP_
#define TENON_PJRT_CPP_BUFFER_HPP_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/cpp/device.hpp"
#include "tenon/pjrt/cpp/future.hpp"
#include "tenon/pjrt/cpp/host_memory.hpp"
#include "tenon/pjrt/cpp/small_array.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

class Buffer {
 public:
  Buffer() = default;
  // Takes over a handle of the C API.
  Buffer(detail::ClientRef client, PJRT_Buffer* handle)
      : handle_(handle), client_(handle ? client.release() : nullptr) {}
  Buffer(Buffer&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)),
        client_(other.client_),
        donated_(std::exchange(other.donated_, false)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
      client_ = other.client_;
      donated_ = std::exchange(other.donated_, false);
    }
    return *this;
  }
  ~Buffer() {
    if (handle_) destroy();
  }

  // Whether there is an array: false after a move, reset or donation.
  explicit operator bool() const { return handle_ != nullptr; }
  bool is_donated() const { return donated_; }
  PJRT_Buffer* get() const { return handle_; }
  // Frees the array as soon as no execution uses it.
  void reset() {
    if (handle_) destroy();
    donated_ = false;
  }

  Result<ElementType> element_type() const {
    raw::Args<raw::PJRT_Buffer_ElementType> args;
    if (Error error = query(args)) return error;
    return static_cast<ElementType>(args.type);
  }
  Result<std::vector<int64_t>> dims() const {
    raw::Args<raw::PJRT_Buffer_Dimensions> args;
    if (Error error = query(args)) return error;
    return std::vector<int64_t>(args.dims, args.dims + args.num_dims);
  }
  Result<Layout> layout() const;
  // Bytes in the memory of the device.
  Result<size_t> device_size() const {
    raw::Args<raw::PJRT_Buffer_OnDeviceSizeInBytes> args;
    if (Error error = query(args)) return error;
    return args.on_device_size_in_bytes;
  }
  Result<Device> device() const {
    raw::Args<raw::PJRT_Buffer_Device> args;
    if (Error error = query(args)) return error;
    return Device(ref(), args.device);
  }
  Result<Memory> memory() const {
    raw::Args<raw::PJRT_Buffer_Memory> args;
    if (Error error = query(args)) return error;
    return Memory(ref(), args.memory);
  }
  // The address of the array, valid while this buffer is. The array may be incomplete
  // until ready() is.
  Result<void*> unsafe_pointer() const {
    raw::Args<raw::PJRT_Buffer_UnsafePointer> args;
    if (Error error = query(args)) return error;
    return reinterpret_cast<void*>(args.buffer_pointer);
  }

  // Completes when the array is computed, with the error of the computation if it failed.
  Future<void> ready() const {
    raw::Args<raw::PJRT_Buffer_ReadyEvent> args;
    if (Error error = query(args)) return error;
    return Future<void>(detail::Event(ref(), args.event), {});
  }

  // The elements in row-major order. T must hold the buffer's element type.
  template <Element T>
  Future<std::vector<T>> to_host() const {
    static_assert(!std::is_same_v<T, bool>, "use to_host<pjrt::pred>");
    raw::Args<raw::PJRT_Buffer_Dimensions> shape;
    if (Error error = query(shape)) return error;
    std::span<const int64_t> dims(shape.dims, shape.num_dims);
    int64_t count = detail::count_elements(dims);
    if (count < 0) {
      return client_->plugin.invalid(
          "the buffer has no static size: dimensions " + detail::to_string(dims),
          raw::PJRT_Buffer_Dimensions::name);
    }
    std::vector<T> values(static_cast<size_t>(count));
    Result<detail::Event> event = start_copy(std::span(values), dims);
    if (!event) return std::move(event).error();
    return Future<std::vector<T>>(std::move(event).value(), std::move(values));
  }
  // Copies into the caller's memory, which must live until the future is complete. It has
  // exactly the size of the array. `layout` is the order there; row-major without one.
  template <Element T>
  Future<void> to_host_into(std::span<T> destination,
                            const Layout* layout = nullptr) const {
    raw::Args<raw::PJRT_Buffer_Dimensions> shape;
    if (Error error = query(shape)) return error;
    std::span<const int64_t> dims(shape.dims, shape.num_dims);
    if (!layout || *layout == Layout::row_major(dims.size())) {
      Result<detail::Event> event = start_copy(destination, dims);
      if (!event) return std::move(event).error();
      return Future<void>(std::move(event).value(), {});
    }
    if (!layout->tiles.empty() ||
        !detail::is_permutation(layout->minor_to_major, dims.size())) {
      return client_->plugin.invalid("the layout on the host, " +
                                         detail::to_string(layout->minor_to_major) +
                                         ", is tiled or does not order " +
                                         std::to_string(dims.size()) + " dimensions",
                                     raw::PJRT_Buffer_ToHostBuffer::name);
    }
    if (Error error = check_size(destination.size(), dims)) return error;
    // XLA's CPU client gives row-major results for any layout at PJRT 0.81.
    return to_host<T>().then(
        [shape = std::vector(dims.begin(), dims.end()), destination,
         order = layout->minor_to_major](Result<std::vector<T>> values) -> Result<void> {
          if (!values) return std::move(values).error();
          detail::reorder(values->data(), destination.data(), shape,
                          Layout::row_major(shape.size()).minor_to_major, order);
          return {};
        });
  }

  Result<Buffer> copy_to(const Device& device) const {
    raw::Args<raw::PJRT_Buffer_CopyToDevice> args;
    args.dst_device = device.get();
    if (Error error = query(args)) return error;
    return Buffer(ref(), args.dst_buffer);
  }
  Result<Buffer> copy_to(const Memory& memory) const {
    raw::Args<raw::PJRT_Buffer_CopyToMemory> args;
    args.dst_memory = memory.get();
    if (Error error = query(args)) return error;
    return Buffer(ref(), args.dst_buffer);
  }

 private:
  friend class Argument;
  friend class Executable;

  void destroy() {
    raw::handle_traits<PJRT_Buffer>::destroy(client_->plugin.api.table(),
                                             std::exchange(handle_, nullptr));
    detail::remove_reference(client_);
  }
  // Replaces the buffer by one whose client already counts it.
  void adopt(detail::ClientState* client, PJRT_Buffer* handle) {
    reset();
    client_ = client;
    handle_ = handle;
  }
  detail::ClientRef ref() const { return detail::ClientRef::to(client_); }

  Error check(const char* function) const {
    if (handle_) [[likely]]
      return {};
    return Error(PJRT_Error_Code_FAILED_PRECONDITION,
                 donated_ ? "the buffer was donated to an execution, which may have "
                            "overwritten it"
                          : "the buffer is empty: it was moved from or reset",
                 function);
  }
  template <typename F>
  Error query(raw::Args<F>& args) const {
    if (Error error = check(F::name)) return error;
    args.buffer = handle_;
    return client_->plugin.call(args);
  }
  // Called after an execution that may have consumed the array.
  void set_donated() {
    reset();
    donated_ = true;
  }

  Error check_size(size_t size, std::span<const int64_t> dims) const {
    auto count = static_cast<size_t>(detail::count_elements(dims));
    if (size == count) return {};
    return client_->plugin.invalid("the buffer has " + std::to_string(count) +
                                       " elements, but the destination " +
                                       std::to_string(size),
                                   raw::PJRT_Buffer_ToHostBuffer::name);
  }
  // Starts a copy in row-major order.
  template <typename T>
  Result<detail::Event> start_copy(std::span<T> destination,
                                   std::span<const int64_t> dims) const {
    if (Error error = check_size(destination.size(), dims)) return error;
    return start_copy(destination.data(), destination.size_bytes(), element_type_of<T>,
                      dims.size());
  }
  Result<detail::Event> start_copy(void* destination, size_t size, ElementType wanted,
                                   size_t rank) const;

  PJRT_Buffer* handle_ = nullptr;
  detail::ClientState* client_ = nullptr;  // counted while there is a handle
  bool donated_ = false;
};

inline Result<detail::Event> Buffer::start_copy(void* destination, size_t size,
                                                ElementType wanted, size_t rank) const {
  Result<ElementType> type = element_type();
  if (!type) return std::move(type).error();
  if (*type != wanted) {
    return client_->plugin.invalid(std::string("the buffer has elements of ") +
                                       type_name(*type) + ", but the destination of " +
                                       type_name(wanted),
                                   raw::PJRT_Buffer_ToHostBuffer::name);
  }
  // Without a layout, plugins copy in the order of the device.
  auto layout = raw::sized<PJRT_Buffer_MemoryLayout>();
  detail::SmallArray<int64_t, 8> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = raw::sized<PJRT_Buffer_MemoryLayout_Tiled>();
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = rank;
  raw::Args<raw::PJRT_Buffer_ToHostBuffer> args;
  args.src = handle_;
  args.host_layout = rank > 1 ? &layout : nullptr;
  std::byte nothing;  // a null destination would ask for the size only
  args.dst = destination ? destination : &nothing;
  args.dst_size = size;
  if (Error error = client_->plugin.call(args)) return error;
  return detail::Event(ref(), args.event);
}

inline Result<Layout> Buffer::layout() const {
  raw::Args<raw::PJRT_Buffer_GetMemoryLayout> args;
  if (Error error = query(args)) return error;
  if (args.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) {
    return Error(PJRT_Error_Code_UNIMPLEMENTED, "the plugin gave strides as layout",
                 raw::PJRT_Buffer_GetMemoryLayout::name, client_->plugin.path);
  }
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = args.layout.tiled;
  Layout result;
  result.minor_to_major.assign(tiled.minor_to_major,
                               tiled.minor_to_major + tiled.minor_to_major_size);
  const int64_t* tile = tiled.tile_dims;
  for (size_t size : std::span(tiled.tile_dim_sizes, tiled.num_tiles)) {
    result.tiles.emplace_back(tile, tile + size);
    tile += size;
  }
  return result;
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_BUFFER_HPP_
