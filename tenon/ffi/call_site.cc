#include "tenon/ffi/call_site.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "tenon/ffi/registry.h"
#include "tenon/types/primitive_type.h"
#include "tenon/types/shape.h"
#include "tenon/types/strided_copy.h"

namespace tenon::ffi {
namespace {

// Buffers in the layout that handlers read.
class BufferFrame {
 public:
  template <typename Tensors>
  BufferFrame(const Tensors& tensors, const RunBuffer* buffers)
      : views_(tensors.size()),
        tags_(tensors.size(), BufferTag::kBuffer),
        pointers_(tensors.size()) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const int64_t* dims = buffers[i].dims ? buffers[i].dims : tensors[i].dims.data();
      views_[i] = {.struct_size = BufferView::kStructSize,
                   .extension_start = nullptr,
                   .dtype = tensors[i].dtype,
                   .data = buffers[i].data,
                   .rank = static_cast<int64_t>(tensors[i].dims.size()),
                   .dims = const_cast<int64_t*>(dims)};
      pointers_[i] = &views_[i];
    }
  }
  BufferList list() {
    return {.struct_size = BufferList::kStructSize,
            .extension_start = nullptr,
            .size = static_cast<int64_t>(views_.size()),
            .types = tags_.data(),
            .buffers = pointers_.data()};
  }

 private:
  std::vector<BufferView> views_;
  std::vector<BufferTag> tags_;
  std::vector<void*> pointers_;
};

CallFrame EmptyFrame(CallContext* context, const AttributeTable& attributes) {
  CallFrame frame = {};
  frame.struct_size = CallFrame::kStructSize;
  frame.api = &GetApi();
  frame.ctx = context;
  frame.args.struct_size = BufferList::kStructSize;
  frame.rets.struct_size = BufferList::kStructSize;
  frame.attrs = attributes.list();
  return frame;
}

}  // namespace

AttributeTable::AttributeTable(std::vector<Attribute> attributes)
    : attributes_(std::move(attributes)) {
  const size_t size = attributes_.size();
  // Reserve the sizes, so that pointers to elements stay valid.
  names_.reserve(size);
  scalars_.reserve(size);
  arrays_.reserve(size);
  strings_.reserve(size);
  dictionary_lists_.reserve(size);
  for (Attribute& attribute : attributes_) {
    names_.push_back({attribute.name.data(), attribute.name.size()});
    name_pointers_.push_back(&names_.back());
    switch (attribute.kind) {
      case Attribute::Kind::kScalar:
        scalars_.push_back({PrimitiveTypeNumber(attribute.type), attribute.bytes.data()});
        tags_.push_back(AttributeTag::kScalar);
        values_.push_back(&scalars_.back());
        break;
      case Attribute::Kind::kArray:
        arrays_.push_back({PrimitiveTypeNumber(attribute.type),
                           static_cast<size_t>(attribute.size()),
                           attribute.bytes.data()});
        tags_.push_back(AttributeTag::kArray);
        values_.push_back(&arrays_.back());
        break;
      case Attribute::Kind::kString:
        strings_.push_back({attribute.bytes.data(), attribute.bytes.size()});
        tags_.push_back(AttributeTag::kString);
        values_.push_back(&strings_.back());
        break;
      case Attribute::Kind::kDictionary:
        dictionaries_.push_back(std::make_unique<AttributeTable>(attribute.entries));
        dictionary_lists_.push_back(dictionaries_.back()->list());
        tags_.push_back(AttributeTag::kDictionary);
        values_.push_back(&dictionary_lists_.back());
        break;
    }
  }
  list_ = {.struct_size = AttributeList::kStructSize,
           .extension_start = nullptr,
           .size = static_cast<int64_t>(size),
           .types = tags_.data(),
           .names = name_pointers_.data(),
           .attrs = values_.data()};
}

// The buffers of a call. Those that need another layout are replaced by transposed
// copies.
class CallSite::Transposed {
 public:
  Transposed(const std::vector<Tensor>& tensors, const RunBuffer* buffers)
      : tensors_(tensors), original_(buffers) {
    if (std::ranges::all_of(tensors, [](const Tensor& tensor) {
          return tensor.minor_to_major.empty();
        })) {
      return;
    }
    copies_.resize(tensors.size());
    buffers_.assign(buffers, buffers + tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].minor_to_major.empty()) continue;
      const size_t bytes =
          static_cast<size_t>(ElementCount(SizesOf(i)) * tensors[i].element_bytes);
      copies_[i].reset(std::aligned_alloc(64, (bytes + 64) / 64 * 64));
      if (!copies_[i]) throw std::bad_alloc();
      buffers_[i].data = copies_[i].get();
    }
  }
  const RunBuffer* buffers() const {
    return buffers_.empty() ? original_ : buffers_.data();
  }
  void CopyIn() { Copy(/*in=*/true); }
  void CopyOut() { Copy(/*in=*/false); }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::span<const int64_t> SizesOf(size_t i) const {
    const size_t rank = tensors_[i].dims.size();
    return {original_[i].dims ? original_[i].dims : tensors_[i].dims.data(), rank};
  }
  void Copy(bool in) {
    for (size_t i = 0; i < copies_.size(); ++i) {
      if (!copies_[i]) continue;
      const std::span<const int64_t> dims = SizesOf(i);
      const int64_t bytes = tensors_[i].element_bytes;
      std::vector<int64_t> row_major = RowMajorStrides(dims);
      for (int64_t& stride : row_major) stride *= bytes;
      const std::vector<int64_t> wanted =
          LayoutByteStrides(dims, tensors_[i].minor_to_major, bytes);
      if (in) {
        CopyStrided(copies_[i].get(), wanted, original_[i].data, row_major, dims, bytes);
      } else {
        CopyStrided(original_[i].data, row_major, copies_[i].get(), wanted, dims, bytes);
      }
    }
  }

  const std::vector<Tensor>& tensors_;
  const RunBuffer* const original_;
  std::vector<std::unique_ptr<void, Free>> copies_;
  std::vector<RunBuffer> buffers_;  // empty if no buffer needs another layout
};

std::vector<CallSite::Tensor> CallSite::Tensors(const std::vector<ImageTensor>& tensors) {
  std::vector<Tensor> result;
  for (const ImageTensor& tensor : tensors) {
    Tensor& added = result.emplace_back();
    added.dtype = PrimitiveTypeNumber(tensor.type);
    added.dims = tensor.dims;
    added.is_pred = tensor.type == ElementType::kPred;
    added.is_token = tensor.type == ElementType::kToken;
    added.element_bytes = ElementBytes(tensor.type);
    if (!std::ranges::is_sorted(tensor.minor_to_major, std::greater<>())) {
      added.minor_to_major = tensor.minor_to_major;
    }
  }
  return result;
}

StatusOr<std::unique_ptr<CallSite>> CallSite::Create(const ImageFfiCall& call,
                                                     std::string_view platform) {
  std::unique_ptr<CallSite> site(new CallSite());
  site->target_ = call.target;
  TENON_ASSIGN_OR_RETURN(RegisteredHandler found,
                         Registry::Global().FindHandler(call.target, platform));
  site->handlers_ = found.bundle;
  site->synchronous_ = (found.traits & kSynchronousTrait) != 0;
  site->api_minor_ = found.api_minor;
  TENON_ASSIGN_OR_RETURN(std::vector<Attribute> attributes,
                         DecodeAttributes(call.attributes));
  site->attributes_ = std::make_unique<AttributeTable>(std::move(attributes));
  site->operands_ = Tensors(call.operands);
  site->results_ = Tensors(call.results);
  if (site->handlers_.instantiate) {
    CallContext context;
    context.states[0] = site->instantiate_state_.get();
    context.api_minor = site->api_minor_;
    CallFrame frame = EmptyFrame(&context, *site->attributes_);
    frame.stage = Stage::kInstantiate;
    Status status = CallHandler(site->handlers_.instantiate, &frame);
    if (!status.ok()) return status.WithPrefix("custom call '" + call.target + "'");
  }
  return site;
}

void CallSite::NormalizePreds(const std::vector<Tensor>& tensors,
                              const RunBuffer* buffers) {
  // Handlers may write any non-zero byte for true, but compiled code assumes 0 or 1.
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].is_pred) continue;
    int64_t size = 1;
    for (size_t d = 0; d < tensors[i].dims.size(); ++d) {
      size *= buffers[i].dims ? buffers[i].dims[d] : tensors[i].dims[d];
    }
    auto* bytes = static_cast<uint8_t*>(buffers[i].data);
    for (int64_t j = 0; j < size; ++j) bytes[j] = bytes[j] != 0;
  }
}

std::vector<RunBuffer> CallSite::WithTokens(const std::vector<Tensor>& tensors,
                                            const RunBuffer* buffers) {
  std::vector<RunBuffer> all;
  for (const Tensor& tensor : tensors) {
    all.push_back(tensor.is_token ? RunBuffer{nullptr, nullptr} : *buffers++);
  }
  return all;
}

Status CallSite::RunStage(Handler* handler, Stage stage, CallContext& context,
                          const BufferList& args, const BufferList& results) const {
  if (!handler) return OkStatus();
  CallFrame frame = EmptyFrame(&context, *attributes_);
  frame.stage = stage;
  frame.args = args;
  frame.rets = results;
  Status status = CallHandler(handler, &frame);
  return status.ok() ? status : status.WithPrefix("custom call '" + target_ + "'");
}

Status CallSite::Call(const RunBuffer* args, const RunBuffer* results,
                      CallEnvironment& environment, RunStates& states) const {
  CallContext context{&environment,
                      {instantiate_state_.get(), &states.prepare, &states.initialize},
                      api_minor_};
  const std::vector<RunBuffer> all_args = WithTokens(operands_, args);
  const std::vector<RunBuffer> all_results = WithTokens(results_, results);
  Transposed operands(operands_, all_args.data());
  Transposed outputs(results_, all_results.data());
  operands.CopyIn();
  BufferFrame arg_frame(operands_, operands.buffers());
  BufferFrame result_frame(results_, outputs.buffers());
  const auto run = [&](Handler* handler, Stage stage) {
    return RunStage(handler, stage, context, arg_frame.list(), result_frame.list());
  };
  if (!states.ready) {
    TENON_RETURN_IF_ERROR(run(handlers_.prepare, Stage::kPrepare));
    TENON_RETURN_IF_ERROR(run(handlers_.initialize, Stage::kInitialize));
    states.ready = true;
  }
  TENON_RETURN_IF_ERROR(run(handlers_.execute, Stage::kExecute));
  outputs.CopyOut();
  NormalizePreds(results_, all_results.data());
  return OkStatus();
}

}  // namespace tenon::ffi
