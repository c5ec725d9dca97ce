#include "tenon/executable/image_metadata.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace tenon {
namespace {

using Json = nlohmann::json;

// Describe(archive, value) names every field of a struct once, for both directions: a
// Writer or a Reader is the archive. For a Writer the value is const.
struct Writer;
struct Reader;
template <typename A, typename T>
using Value = std::conditional_t<std::is_same_v<A, Writer>, const T, T>;

template <typename A>
void Describe(A& a, Value<A, ImageTensor>& t) {
  a("type", t.type);
  a("dims", t.dims);
  a("minor_to_major", t.minor_to_major);
  a("memory_kind", t.memory_kind);
  a.Binary("sharding", t.sharding);
}

template <typename A>
void Describe(A& a, Value<A, ImageAlias>& alias) {
  a("result", alias.result);
  a("parameter", alias.parameter);
  a("must", alias.must);
}

template <typename A>
void Describe(A& a, Value<A, ImageFfiCall>& call) {
  a("target", call.target);
  a("operands", call.operands);
  a("results", call.results);
  a.Binary("attributes", call.attributes);
  a("has_side_effect", call.has_side_effect);
}

template <typename A>
void Describe(A& a, Value<A, ImageCollective>& collective) {
  a("kind", collective.kind);
  a("groups", collective.groups);
  a("operands", collective.operands);
  a("results", collective.results);
  a("dimension", collective.dimension);
  a("concat_dimension", collective.concat_dimension);
  a("tile_elements", collective.tile_elements);
  a("source", collective.source);
}

template <typename A>
void Describe(A& a, Value<A, ImageKernel>& kernel) {
  a("name", kernel.name);
  a("op_name", kernel.op_name);
  a("source", kernel.source);
}

template <typename A>
void Describe(A& a, Value<A, ImageSymbol>& symbol) {
  a("name", symbol.name);
  a("offset", symbol.offset);
  a("size", symbol.size);
}

template <typename A>
void Describe(A& a, Value<A, ExecutableInfo>& info) {
  a("name", info.name);
  a("num_replicas", info.num_replicas);
  a("num_partitions", info.num_partitions);
  a("parameters", info.parameters);
  a("results", info.results);
  a("aliases", info.aliases);
  a("ffi_calls", info.ffi_calls);
  a("collectives", info.collectives);
  a("ieee_denormals", info.ieee_denormals);
  a("costs", info.costs);
  a.Binary("compile_options", info.compile_options);
  a("optimized_program", info.optimized_program);
  a.Binary("fingerprint", info.fingerprint);
}

template <typename A>
void Describe(A& a, Value<A, CodeObject>& code) {
  a("kind", code.kind);
  a("target", code.target);
  a("architecture", code.architecture);
  a("features", code.features);
  a("entry_offset", code.entry_offset);
  a("imports_offset", code.imports_offset);
  a("eh_frame_offset", code.eh_frame_offset);
  a("eh_frame_size", code.eh_frame_size);
  a("symbols", code.symbols);
  a("kernels", code.kernels);
  a("constants_offset", code.constants_offset);
  a("constants_size", code.constants_size);
  a("arena_bytes", code.arena_bytes);
  a("estimated_nanoseconds", code.estimated_nanoseconds);
}

template <typename A>
void Describe(A& a, Value<A, CodeExtent>& extent) {
  a("offset", extent.offset);
  a("size", extent.size);
}

template <typename T>
concept Scalar = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

struct Writer {
  Json out = Json::object();

  template <typename T>
  void operator()(const char* name, const T& value) {
    out[name] = ToJson(value);
  }
  void Binary(const char* name, const std::string& value) {
    out[name] = Json::binary({value.begin(), value.end()});
  }

  template <Scalar T>
  static Json ToJson(const T& value) {
    return value;
  }
  static Json ToJson(ElementType type) { return static_cast<int>(type); }
  static Json ToJson(CollectiveKind kind) { return static_cast<int>(kind); }
  static Json ToJson(const std::map<std::string, double>& map) { return map; }
  template <typename T>
  static Json ToJson(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(ToJson(value));
    return array;
  }
  template <typename T>
    requires std::is_class_v<T> && (!Scalar<T>)
  static Json ToJson(const T& value) {
    Writer writer;
    Describe(writer, value);
    return std::move(writer.out);
  }
};

// Keeps the name of the first field that is missing or of the wrong type.
struct Reader {
  const Json& in;
  std::string* bad_field;

  template <typename T>
  void operator()(const char* name, T& value) {
    auto it = in.find(name);
    if (it == in.end() || !FromJson(*it, value)) Fail(name);
  }
  void Binary(const char* name, std::string& value) {
    auto it = in.find(name);
    if (it == in.end() || !it->is_binary()) return Fail(name);
    value.assign(it->get_binary().begin(), it->get_binary().end());
  }
  void Fail(const char* name) {
    if (bad_field->empty()) *bad_field = name;
  }

  template <Scalar T>
  bool FromJson(const Json& json, T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) return false;
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return false;
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!json.is_number()) return false;
    } else {
      // CBOR stores negative numbers as signed. The value must fit in T.
      if (!json.is_number_integer()) return false;
      if (json.is_number_unsigned() ? !std::in_range<T>(json.get<uint64_t>())
                                    : !std::in_range<T>(json.get<int64_t>())) {
        return false;
      }
    }
    value = json.get<T>();
    return true;
  }
  bool FromJson(const Json& json, ElementType& type) {
    int64_t number = 0;
    if (!FromJson(json, number)) return false;
    auto known = ElementTypeFromNumber(number);
    if (known) type = *known;
    return known.has_value();
  }
  bool FromJson(const Json& json, CollectiveKind& kind) {
    int64_t number = 0;
    if (!FromJson(json, number) || number < 0 || number >= kNumCollectiveKinds) {
      return false;
    }
    kind = static_cast<CollectiveKind>(number);
    return true;
  }
  bool FromJson(const Json& json, std::map<std::string, double>& map) {
    if (!json.is_object()) return false;
    for (const auto& [name, value] : json.items()) {
      if (!value.is_number()) return false;
      map[name] = value.get<double>();
    }
    return true;
  }
  template <typename T>
  bool FromJson(const Json& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    values.resize(json.size());
    for (size_t i = 0; i < json.size(); ++i) {
      if (!FromJson(json[i], values[i])) return false;
    }
    return true;
  }
  template <typename T>
    requires std::is_class_v<T> && (!Scalar<T>)
  bool FromJson(const Json& json, T& value) {
    if (!json.is_object()) return false;
    Reader reader{json, bad_field};
    Describe(reader, value);
    return bad_field->empty();
  }
};

// Rejects input that is nested more deeply than any image, because the CBOR reader
// recurses once per level and could overflow the stack.
class DepthLimit : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kMaxDepth; }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return ++depth_ <= kMaxDepth; }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static constexpr int kMaxDepth = 16;
  bool Leave() {
    --depth_;
    return true;
  }
  int depth_ = 0;
};

}  // namespace

std::vector<uint8_t> EncodeMetadata(const Image& image,
                                    const std::vector<CodeExtent>& extents) {
  Writer writer;
  writer("info", image.info);
  writer("code_objects", image.code_objects);
  writer("code_extents", extents);
  return Json::to_cbor(writer.out);
}

Status DecodeMetadata(std::string_view cbor, Image* image,
                      std::vector<CodeExtent>* extents) {
  DepthLimit limit;
  if (!Json::sax_parse(cbor.begin(), cbor.end(), &limit, Json::input_format_t::cbor)) {
    return DataLoss("the image's metadata is malformed");
  }
  Json json = Json::from_cbor(cbor.begin(), cbor.end(), /*strict=*/true,
                              /*allow_exceptions=*/false);
  if (!json.is_object()) return DataLoss("the image's metadata is malformed");
  std::string bad_field;
  Reader reader{json, &bad_field};
  reader("info", image->info);
  reader("code_objects", image->code_objects);
  reader("code_extents", *extents);
  if (!bad_field.empty()) {
    return DataLoss("the image's metadata field '" + bad_field +
                    "' is missing or malformed");
  }
  if (extents->size() != image->code_objects.size()) {
    return DataLoss("the image's metadata has " + std::to_string(extents->size()) +
                    " extents of " + std::to_string(image->code_objects.size()) +
                    " code objects");
  }
  return OkStatus();
}

}  // namespace tenon
