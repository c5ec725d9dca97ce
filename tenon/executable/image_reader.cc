#include <algorithm>
#include <optional>
#include <utility>

#include "tenon/executable/image.h"
#include "tenon/executable/validate.h"
#include "tenon/format/reader.h"

namespace tenon {
namespace {

using format::Table;
using format::Text;

Status ToStatus(const format::Refusal& refusal) {
  return refusal.damaged ? DataLoss(refusal.reason) : FailedPrecondition(refusal.reason);
}

Status Malformed(std::string_view what) {
  return DataLoss("the file is damaged: its " + std::string(what) + " are malformed");
}

// Copies the records of one section. After the first failure ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view section)
      : records_(section), budget_(kMaxCopies * section.size()) {}

  bool ok() const { return ok_; }

  template <typename T>
  T Root() {
    T root = {};
    ok_ = ok_ && records_.Root(&root);
    return root;
  }
  std::string Get(Text text) {
    std::string_view view;
    ok_ = ok_ && records_.Get(text, &view) && Spend(view.size());
    return ok_ ? std::string(view) : std::string();
  }
  // decode(record) for each record of type T.
  template <typename T, typename Decode>
  auto GetEach(Table table, Decode decode) -> std::vector<decltype(decode(T()))> {
    ok_ =
        ok_ && records_.Check(table) && Spend(uint64_t{table.count} * table.record_bytes);
    std::vector<decltype(decode(T()))> values;
    if (ok_) values.reserve(table.count);
    for (uint32_t i = 0; ok_ && i < table.count; ++i)
      values.push_back(decode(records_.Get<T>(table, i)));
    return values;
  }
  std::vector<int64_t> GetNumbers(Table table) {
    return GetEach<int64_t>(table, [](int64_t number) { return number; });
  }
  std::vector<std::string> GetTexts(Table table) {
    return GetEach<Text>(table, [this](Text text) { return Get(text); });
  }
  void Fail() { ok_ = false; }

 private:
  // Records may share texts and tables. A forged file must not use that to take far more
  // memory than its size.
  static constexpr uint64_t kMaxCopies = 64;
  bool Spend(uint64_t bytes) {
    if (bytes > budget_) return false;
    budget_ -= bytes;
    return true;
  }

  const format::Records records_;
  uint64_t budget_;
  bool ok_ = true;
};

std::vector<ImageTensor> GetTensors(Reader& reader, Table table) {
  return reader.GetEach<format::Tensor>(table, [&](const format::Tensor& record) {
    ImageTensor tensor;
    const std::optional<ElementType> type = ElementTypeFromNumber(record.type);
    if (!type) reader.Fail();
    tensor.type = type.value_or(ElementType::kInvalid);
    tensor.dims = reader.GetNumbers(record.dims);
    tensor.minor_to_major = reader.GetNumbers(record.minor_to_major);
    tensor.name = reader.Get(record.name);
    tensor.memory_kind = reader.Get(record.memory_kind);
    tensor.sharding = reader.Get(record.sharding);
    tensor.shared_by = static_cast<int64_t>(record.shared_by) - 1;
    return tensor;
  });
}

ImageFfiCall GetCall(Reader& reader, const format::FfiCall& record) {
  ImageFfiCall call;
  call.target = reader.Get(record.target);
  call.operands = GetTensors(reader, record.operands);
  call.results = GetTensors(reader, record.results);
  call.attributes = reader.Get(record.attributes);
  call.has_side_effect = record.has_side_effect != 0;
  return call;
}

ImageCollective GetCollective(Reader& reader, const format::Collective& record) {
  ImageCollective collective;
  if (record.kind >= kNumCollectiveKinds) reader.Fail();
  collective.kind = static_cast<CollectiveKind>(record.kind);
  collective.groups = reader.GetEach<format::Group>(
      record.groups,
      [&](const format::Group& group) { return reader.GetNumbers(group.devices); });
  collective.operands = GetTensors(reader, record.operands);
  collective.results = GetTensors(reader, record.results);
  collective.dimension = record.dimension;
  collective.concat_dimension = record.concat_dimension;
  collective.tile_elements = record.tile_elements;
  collective.source = reader.Get(record.source);
  return collective;
}

CodeObject GetCode(Reader& reader, const format::Code& record) {
  CodeObject code;
  code.kind = reader.Get(record.kind);
  code.target = reader.Get(record.target);
  code.architecture = reader.Get(record.architecture);
  code.features = reader.GetTexts(record.features);
  code.entry_offset = record.entry_offset;
  code.imports_offset = record.imports_offset;
  code.eh_frame_offset = record.eh_frame_offset;
  code.eh_frame_size = record.eh_frame_bytes;
  code.constants_offset = record.constants_offset;
  code.constants_size = record.constants_bytes;
  code.arena_bytes = record.arena_bytes;
  code.estimated_nanoseconds = record.estimated_nanoseconds;
  code.shared_segments = reader.GetEach<format::SharedSegment>(
      record.shared_segments, [](const format::SharedSegment& segment) {
        return SharedSegment{segment.site, segment.bytes};
      });
  code.packed_operands = reader.GetEach<format::PackedOperand>(
      record.packed_operands, [&](const format::PackedOperand& packed) {
        return ImagePackedOperand{packed.parameter, packed.bytes,
                                  reader.Get(packed.layout)};
      });
  return code;
}

Status DecodeMetadata(std::string_view section, Image& image) {
  Reader reader(section);
  const auto program = reader.Root<format::Program>();
  ExecutableInfo& info = image.info;
  info.name = reader.Get(program.name);
  info.num_replicas = program.num_replicas;
  info.num_partitions = program.num_partitions;
  info.parameters = GetTensors(reader, program.parameters);
  info.results = GetTensors(reader, program.results);
  info.aliases =
      reader.GetEach<format::Alias>(program.aliases, [](const format::Alias& alias) {
        return ImageAlias{alias.result, alias.parameter, alias.must != 0};
      });
  info.ffi_calls = reader.GetEach<format::FfiCall>(
      program.ffi_calls,
      [&](const format::FfiCall& call) { return GetCall(reader, call); });
  info.collectives = reader.GetEach<format::Collective>(
      program.collectives, [&](const format::Collective& collective) {
        return GetCollective(reader, collective);
      });
  info.ieee_denormals = program.flags & format::kIeeeDenormals;
  for (auto& [name, value] :
       reader.GetEach<format::Cost>(program.costs, [&](const format::Cost& cost) {
         return std::pair(reader.Get(cost.name), cost.value);
       })) {
    info.costs[name] = value;
  }
  info.compile_options = reader.Get(program.compile_options);
  info.fingerprint = reader.Get(program.fingerprint);
  info.note = reader.Get(program.note);
  image.code_objects = reader.GetEach<format::Code>(
      program.code, [&](const format::Code& code) { return GetCode(reader, code); });
  return reader.ok() ? OkStatus() : Malformed("metadata");
}

Status DecodeDebug(std::string_view section, Image& image) {
  Reader reader(section);
  const auto debug = reader.Root<format::Debug>();
  image.info.optimized_program = reader.Get(debug.optimized_program);
  const auto get_symbol = [&](const format::Symbol& symbol) {
    return ImageSymbol{reader.Get(symbol.name), symbol.offset, symbol.size};
  };
  const auto get_kernel = [&](const format::Kernel& kernel) {
    return ImageKernel{reader.Get(kernel.name), reader.Get(kernel.op_name),
                       reader.Get(kernel.source)};
  };
  size_t next = 0;
  reader.GetEach<format::DebugCode>(debug.code, [&](const format::DebugCode& record) {
    if (next < image.code_objects.size()) {
      CodeObject& code = image.code_objects[next++];
      code.symbols = reader.GetEach<format::Symbol>(record.symbols, get_symbol);
      code.kernels = reader.GetEach<format::Kernel>(record.kernels, get_kernel);
    } else {
      reader.Fail();
    }
    return 0;
  });
  return reader.ok() ? OkStatus() : Malformed("debug data");
}

}  // namespace

StatusOr<Image> Image::Deserialize(std::string_view bytes) {
  format::Refusal refusal;
  format::Frame frame;
  if (!frame.Read(bytes, &refusal)) return ToStatus(refusal);
  for (uint32_t i = 0; i < frame.num_sections(); ++i) {
    if (!frame.Check(frame.section(i), &refusal)) return ToStatus(refusal);
  }
  Image image;
  format::Section section;
  if (!frame.Find(format::kMetadata, 0, &section)) {
    return DataLoss("the file is damaged: it has no metadata");
  }
  TENON_RETURN_IF_ERROR(DecodeMetadata(frame.Content(section), image));
  for (size_t i = 0; i < image.code_objects.size(); ++i) {
    if (!frame.Find(format::kCode, static_cast<uint32_t>(i), &section)) {
      return DataLoss("the file is damaged: it has no code object " + std::to_string(i));
    }
    const std::string_view code = frame.Content(section);
    image.code_objects[i].bytes.assign(code.begin(), code.end());
  }
  if (frame.Find(format::kConstants, 0, &section)) {
    const std::string_view constants = frame.Content(section);
    image.constants = ConstantData(std::span<const uint8_t>(
        reinterpret_cast<const uint8_t*>(constants.data()), constants.size()));
    image.constants.Seal();
  }
  if (frame.Find(format::kDebug, 0, &section)) {
    TENON_RETURN_IF_ERROR(DecodeDebug(frame.Content(section), image));
  }
  TENON_RETURN_IF_ERROR(ValidateImage(image));
  return image;
}

}  // namespace tenon
