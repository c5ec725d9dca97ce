// Random sharded programs, for tests.
#ifndef TENON_COMPILER_PARTITION_RANDOM_PROGRAM_H_
#define TENON_COMPILER_PARTITION_RANDOM_PROGRAM_H_

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tenon::compiler::partition {

using Shape = std::vector<int64_t>;

// Generates one program on i32, whose arithmetic is exact in any order. Shardings may be
// uneven, and may use parts of axes.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  std::string Text() {
    MakeMesh();
    std::string arguments;
    for (int64_t i = Uniform(1, 3); i > 0; --i) {
      Shape shape = RandomShape();
      const std::string name = Add(shape);
      arguments += (arguments.empty() ? "" : ", ") + name + ": " + Type(shape) + " {" +
                   kAttribute + Dims(shape, /*even=*/true) + ">}";
    }
    for (int64_t i = Uniform(3, 12); i > 0; --i) AddOp();
    std::string results, types, returned;
    for (int64_t i = Uniform(1, 3); i > 0; --i) {
      const Value& value = Pick();
      results += (results.empty() ? "" : ", ") + Type(value.shape) + " {" + kAttribute +
                 Dims(value.shape, /*even=*/true) + ">}";
      types += (types.empty() ? "" : ", ") + Type(value.shape);
      returned += (returned.empty() ? "" : ", ") + value.name;
    }
    return mesh_ + "func.func @main(" + arguments + ") -> (" + results + ") {\n" + body_ +
           "return " + returned + " : " + types + "\n}\n";
  }

 private:
  struct Value {
    std::string name;
    Shape shape;
  };
  struct NamedAxis {
    std::string name;
    int64_t size;
  };

  static constexpr char kAttribute[] = "sdy.sharding = #sdy.sharding<@mesh, ";

  int64_t Uniform(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool Chance(int64_t percent) { return Uniform(1, 100) <= percent; }

  void MakeMesh() {
    int64_t devices = 1;
    for (int64_t i = Uniform(1, 3); i > 0; --i) {
      const int64_t size = Uniform(2, 4);
      if (devices * size > 12) continue;
      devices *= size;
      axes_.push_back({std::string(1, static_cast<char>('x' + axes_.size())), size});
    }
    for (const NamedAxis& axis : axes_)
      mesh_ += (mesh_.empty() ? "" : ", ") + ("\"" + axis.name + "\"=") +
               std::to_string(axis.size);
    mesh_ = "sdy.mesh @mesh = <[" + mesh_ + "]>\n";
  }

  // Sizes with several divisors.
  Shape RandomShape() {
    static constexpr int64_t kSizes[] = {1, 2, 4, 6, 8, 12, 3, 5};
    Shape shape(Uniform(0, 3));
    for (int64_t& size : shape) size = kSizes[Uniform(0, 7)];
    return shape;
  }

  static std::string List(const Shape& shape, const std::string& between = ", ") {
    std::string text;
    for (int64_t size : shape)
      text += (text.empty() ? "" : between) + std::to_string(size);
    return text;
  }
  static std::string Type(const Shape& shape, const std::string& element = "i32") {
    return "tensor<" + List(shape, "x") + (shape.empty() ? "" : "x") + element + ">";
  }

  // The axes of each dimension, such as [{"x"}, {}].
  std::string Dims(const Shape& shape, bool even) {
    struct Piece {
      std::string text;
      int64_t size;
    };
    std::vector<Piece> pieces;
    for (const NamedAxis& axis : axes_) {
      if (axis.size == 4 && Chance(30)) {
        pieces.push_back({"\"" + axis.name + "\":(1)2", 2});
        pieces.push_back({"\"" + axis.name + "\":(2)2", 2});
      } else {
        pieces.push_back({"\"" + axis.name + "\"", axis.size});
      }
    }
    std::shuffle(pieces.begin(), pieces.end(), random_);
    std::string text;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      std::string used;
      int64_t shards = 1;
      while (!pieces.empty() && Chance(45)) {
        const Piece piece = pieces.back();
        if (even && shape[dim] % (shards * piece.size) != 0) break;
        shards *= piece.size;
        pieces.pop_back();
        used += (used.empty() ? "" : ", ") + piece.text;
      }
      text += (dim ? ", {" : "{") + used + "}";
    }
    return "[" + text + "]";
  }

  std::string Sharded(const Shape& shape) {
    if (Chance(30)) return "";
    return " {sdy.sharding = #sdy.sharding_per_value<[<@mesh, " +
           Dims(shape, Chance(70)) + ">]>}";
  }

  std::string Add(const Shape& shape) {
    values_.push_back({"%v" + std::to_string(values_.size()), shape});
    return values_.back().name;
  }
  const Value& Pick() {
    return values_[Uniform(0, static_cast<int64_t>(values_.size()) - 1)];
  }
  // A value of at least one dimension.
  Value PickTensor() {
    for (int attempt = 0; attempt < 20; ++attempt)
      if (const Value& value = Pick(); !value.shape.empty()) return value;
    Shape shape = {12};
    return {Emit("stablehlo.iota dim = 0", shape, Type(shape)), shape};
  }
  Value PickOfShape(const Shape& shape) {
    for (int attempt = 0; attempt < 4; ++attempt)
      if (const Value& value = Pick(); value.shape == shape) return value;
    const Value scalar = Constant();
    return {Emit("stablehlo.broadcast_in_dim " + scalar.name + ", dims = []", shape,
                 "(" + Type({}) + ") -> " + Type(shape)),
            shape};
  }
  Value Constant() {
    const std::string text =
        "stablehlo.constant dense<" + std::to_string(Uniform(-3, 5)) + ">";
    return {Emit(text, {}, Type({}), /*sharded=*/false), {}};
  }

  std::string Emit(const std::string& op, const Shape& shape, const std::string& type,
                   bool sharded = true) {
    const std::string attribute = sharded ? Sharded(shape) : "";
    const std::string name = Add(shape);
    body_ += name + " = " + op + attribute + " : " + type + "\n";
    return name;
  }

  void AddOp() {
    static constexpr void (RandomProgram::* kOps[])() = {
        &RandomProgram::Elementwise,  &RandomProgram::Elementwise,
        &RandomProgram::Transpose,    &RandomProgram::Reshape,
        &RandomProgram::Reduce,       &RandomProgram::Dot,
        &RandomProgram::Dot,          &RandomProgram::Broadcast,
        &RandomProgram::Concatenate,  &RandomProgram::Slice,
        &RandomProgram::Pad,          &RandomProgram::Reverse,
        &RandomProgram::Iota,         &RandomProgram::Constraint,
        &RandomProgram::DynamicSlice, &RandomProgram::Update,
        &RandomProgram::Gather,       &RandomProgram::Scatter,
        &RandomProgram::Sort,         &RandomProgram::RunningSum,
        &RandomProgram::Loop,         &RandomProgram::Select,
        &RandomProgram::Pool,         &RandomProgram::Convolution,
        &RandomProgram::Join,         &RandomProgram::Roll,
        &RandomProgram::TopK};
    (this->*kOps[Uniform(0, std::size(kOps) - 1)])();
  }

  void Elementwise() {
    static constexpr const char* kNames[] = {"add", "subtract", "multiply", "maximum",
                                             "xor"};
    const Value a = Pick(), b = PickOfShape(a.shape);
    Emit(std::string("stablehlo.") + kNames[Uniform(0, 4)] + " " + a.name + ", " + b.name,
         a.shape, Type(a.shape));
  }
  void Select() {
    const Value a = Pick(), b = PickOfShape(a.shape);
    const std::string pred = "%p" + std::to_string(values_.size());
    body_ += pred + " = stablehlo.compare LT, " + a.name + ", " + b.name + " : (" +
             Type(a.shape) + ", " + Type(a.shape) + ") -> " + Type(a.shape, "i1") + "\n";
    Emit("stablehlo.select " + pred + ", " + a.name + ", " + b.name, a.shape,
         Type(a.shape, "i1") + ", " + Type(a.shape));
  }
  void Transpose() {
    const Value a = Pick();
    Shape order(a.shape.size()), shape;
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (int64_t dim : order) shape.push_back(a.shape[dim]);
    Emit("stablehlo.transpose " + a.name + ", dims = [" + List(order) + "]", shape,
         "(" + Type(a.shape) + ") -> " + Type(shape));
  }
  void Reshape() {
    const Value a = Pick();
    int64_t rest =
        std::accumulate(a.shape.begin(), a.shape.end(), int64_t{1}, std::multiplies<>());
    Shape shape;
    while (rest > 1 && shape.size() < 3) {
      int64_t size = Uniform(1, rest);
      while (rest % size != 0) --size;
      shape.push_back(size);
      rest /= size;
    }
    shape.push_back(rest);
    Emit("stablehlo.reshape " + a.name, shape,
         "(" + Type(a.shape) + ") -> " + Type(shape));
  }
  void Reduce() {
    static constexpr const char* kNames[] = {"add", "maximum", "multiply"};
    const Value a = PickTensor(), init = Constant();
    Shape shape, dims;
    for (size_t dim = 0; dim < a.shape.size(); ++dim)
      Chance(50) ? dims.push_back(static_cast<int64_t>(dim))
                 : shape.push_back(a.shape[dim]);
    Emit("stablehlo.reduce(" + a.name + " init: " + init.name + ") applies stablehlo." +
             kNames[Uniform(0, 2)] + " across dimensions = [" + List(dims) + "]",
         shape, "(" + Type(a.shape) + ", " + Type({}) + ") -> " + Type(shape));
  }
  void Dot() {
    const Value a = PickTensor();
    const Shape other = {a.shape.back(), int64_t{1} << Uniform(0, 3)};
    const Value b = PickOfShape(other);
    Shape shape(a.shape.begin(), a.shape.end() - 1);
    shape.push_back(other[1]);
    Emit("stablehlo.dot_general " + a.name + ", " + b.name + ", contracting_dims = [" +
             std::to_string(a.shape.size() - 1) + "] x [0]",
         shape, "(" + Type(a.shape) + ", " + Type(other) + ") -> " + Type(shape));
  }
  void Broadcast() {
    const Value a = Pick();
    if (a.shape.size() > 2) return;
    Shape shape = a.shape, dims;
    const int64_t at = Uniform(0, static_cast<int64_t>(shape.size()));
    shape.insert(shape.begin() + at, Uniform(1, 8));
    for (int64_t dim = 0; dim < static_cast<int64_t>(a.shape.size()); ++dim)
      dims.push_back(dim < at ? dim : dim + 1);
    for (size_t dim = 0; dim < a.shape.size(); ++dim)
      if (a.shape[dim] == 1 && Chance(50)) shape[dims[dim]] = 4;
    Emit("stablehlo.broadcast_in_dim " + a.name + ", dims = [" + List(dims) + "]", shape,
         "(" + Type(a.shape) + ") -> " + Type(shape));
  }
  void Concatenate() {
    const Value a = PickTensor(), b = PickOfShape(a.shape);
    const int64_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    Shape shape = a.shape;
    shape[dim] *= 2;
    Emit("stablehlo.concatenate " + a.name + ", " + b.name +
             ", dim = " + std::to_string(dim),
         shape, "(" + Type(a.shape) + ", " + Type(a.shape) + ") -> " + Type(shape));
  }
  void Slice() {
    const Value a = PickTensor();
    Shape shape;
    std::string ranges;
    for (int64_t size : a.shape) {
      const int64_t start = Chance(50) ? 0 : Uniform(0, size - 1);
      const int64_t limit = start == 0 && Chance(70) ? size : Uniform(start + 1, size);
      const int64_t stride = start == 0 && limit == size ? 1 : Uniform(1, 2);
      shape.push_back((limit - start + stride - 1) / stride);
      ranges += (ranges.empty() ? "" : ", ") + std::to_string(start) + ":" +
                std::to_string(limit) + ":" + std::to_string(stride);
    }
    Emit("stablehlo.slice " + a.name + " [" + ranges + "]", shape,
         "(" + Type(a.shape) + ") -> " + Type(shape));
  }
  void Pad() {
    const Value a = PickTensor(), value = Constant();
    Shape low, high, interior, shape;
    for (int64_t size : a.shape) {
      const bool shift = Chance(30);  // keeps the size
      low.push_back(shift ? 1 : Chance(50) ? 0 : Uniform(0, 2));
      high.push_back(shift ? -1 : Chance(50) ? 0 : Uniform(0, 2));
      interior.push_back(shift || Chance(80) ? 0 : 1);
      shape.push_back(size + low.back() + high.back() + interior.back() * (size - 1));
    }
    Emit("stablehlo.pad " + a.name + ", " + value.name + ", low = [" + List(low) +
             "], high = [" + List(high) + "], interior = [" + List(interior) + "]",
         shape, "(" + Type(a.shape) + ", " + Type({}) + ") -> " + Type(shape));
  }
  void Reverse() {
    const Value a = PickTensor();
    const int64_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    Emit("stablehlo.reverse " + a.name + ", dims = [" + std::to_string(dim) + "]",
         a.shape, Type(a.shape));
  }
  void Iota() {
    Shape shape = RandomShape();
    shape.push_back(Uniform(1, 12));
    Emit("stablehlo.iota dim = " +
             std::to_string(Uniform(0, static_cast<int64_t>(shape.size()) - 1)),
         shape, Type(shape));
  }
  void Constraint() {
    const Value a = Pick();
    const std::string dims = Dims(a.shape, Chance(70));
    const std::string name = Add(a.shape);
    body_ += name + " = sdy.sharding_constraint " + a.name + " <@mesh, " + dims +
             "> : " + Type(a.shape) + "\n";
  }
  // One index per dimension of a tensor, some of them out of range.
  std::string Indices(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += ", " + Constant().name;
    return text;
  }
  static std::string Scalars(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += ", " + Type({});
    return text;
  }
  Shape PartOfShape(const Shape& whole) {
    Shape shape;
    for (int64_t size : whole) shape.push_back(Chance(60) ? size : Uniform(1, size));
    return shape;
  }
  void DynamicSlice() {
    const Value a = PickTensor();
    const Shape shape = PartOfShape(a.shape);
    const std::string indices = Indices(a.shape.size());
    Emit(
        "stablehlo.dynamic_slice " + a.name + indices + ", sizes = [" + List(shape) + "]",
        shape, "(" + Type(a.shape) + Scalars(a.shape.size()) + ") -> " + Type(shape));
  }
  void Update() {
    const Value a = PickTensor();
    const Value update = PickOfShape(PartOfShape(a.shape));
    const std::string indices = Indices(a.shape.size());
    Emit("stablehlo.dynamic_update_slice " + a.name + ", " + update.name + indices,
         a.shape,
         "(" + Type(a.shape) + ", " + Type(update.shape) + Scalars(a.shape.size()) +
             ") -> " + Type(a.shape));
  }
  // Rows of a tensor by their numbers.
  void Gather() {
    const Value a = PickTensor(), rows = PickOfShape({Uniform(1, 8), 1});
    Shape shape = a.shape, sizes = a.shape, offsets;
    shape[0] = rows.shape[0];
    sizes[0] = 1;
    for (size_t dim = 1; dim < a.shape.size(); ++dim)
      offsets.push_back(static_cast<int64_t>(dim));
    Emit("\"stablehlo.gather\"(" + a.name + ", " + rows.name +
             ") {dimension_numbers = #stablehlo.gather<offset_dims = [" + List(offsets) +
             "], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = "
             "1>, "
             "slice_sizes = array<i64: " +
             List(sizes) + ">" + InDictionary(shape) + "}",
         shape, "(" + Type(a.shape) + ", " + Type(rows.shape) + ") -> " + Type(shape),
         /*sharded=*/false);
  }
  void Scatter() {
    const Value a = PickTensor(), rows = PickOfShape({Uniform(1, 8), 1});
    Shape updated = a.shape, window;
    updated[0] = rows.shape[0];
    for (size_t dim = 1; dim < a.shape.size(); ++dim)
      window.push_back(static_cast<int64_t>(dim));
    const Value updates = PickOfShape(updated);
    Emit(
        "\"stablehlo.scatter\"(" + a.name + ", " + rows.name + ", " + updates.name +
            ") ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
            "%z = stablehlo.add %x, %y : tensor<i32>\nstablehlo.return %z : tensor<i32>\n"
            "}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [" +
            List(window) +
            "], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            "index_vector_dim = 1>" +
            InDictionary(a.shape) + "}",
        a.shape,
        "(" + Type(a.shape) + ", " + Type(rows.shape) + ", " + Type(updated) + ") -> " +
            Type(a.shape),
        /*sharded=*/false);
  }
  void Sort() {
    const Value a = PickTensor();
    const int64_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    Emit("\"stablehlo.sort\"(" + a.name +
             ") ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
             "%z = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> "
             "tensor<i1>\n"
             "stablehlo.return %z : tensor<i1>\n}) {dimension = " +
             std::to_string(dim) + " : i64" + InDictionary(a.shape) + "}",
         a.shape, "(" + Type(a.shape) + ") -> " + Type(a.shape), /*sharded=*/false);
  }
  void TopK() {
    const Value a = PickTensor();
    Shape shape = a.shape;
    shape.back() = Uniform(1, std::min<int64_t>(shape.back(), 4));
    const std::string values = Add(shape), indices = Add(shape);
    body_ += values + ", " + indices + " = chlo.top_k(" + a.name +
             ", k = " + std::to_string(shape.back()) + ") : " + Type(a.shape) + " -> (" +
             Type(shape) + ", " + Type(shape) + ")\n";
  }
  void RunningSum() {
    const Value a = PickTensor(), zero = Constant();
    const size_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    Shape window(a.shape.size(), 1), padding(2 * a.shape.size(), 0);
    window[dim] = a.shape[dim];
    padding[2 * dim] = a.shape[dim] - 1;
    std::string pairs;
    for (size_t i = 0; i < a.shape.size(); ++i)
      pairs += (i ? ", [" : "[") + List({padding[2 * i], padding[2 * i + 1]}) + "]";
    Emit(
        "\"stablehlo.reduce_window\"(" + a.name + ", " + zero.name +
            ") ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
            "%z = stablehlo.add %x, %y : tensor<i32>\nstablehlo.return %z : tensor<i32>\n"
            "}) {window_dimensions = array<i64: " +
            List(window) + ">, padding = dense<[" + pairs + "]> : tensor<" +
            std::to_string(a.shape.size()) + "x2xi64>" + InDictionary(a.shape) + "}",
        a.shape, "(" + Type(a.shape) + ", " + Type({}) + ") -> " + Type(a.shape),
        /*sharded=*/false);
  }
  // Maxima of small windows along one dimension.
  void Pool() {
    const Value a = PickTensor(), start = Constant();
    const size_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    Shape window(a.shape.size(), 1), strides(a.shape.size(), 1), shape = a.shape;
    window[dim] = Uniform(1, 4);
    strides[dim] = Uniform(1, 2);
    const int64_t low = Uniform(0, 3), high = Uniform(0, 3);
    const int64_t size = a.shape[dim] + low + high;
    if (size < window[dim]) return;
    shape[dim] = (size - window[dim]) / strides[dim] + 1;
    std::string pairs;
    for (size_t i = 0; i < a.shape.size(); ++i)
      pairs += (i ? ", [" : "[") + (i == dim ? List({low, high}) : "0, 0") + "]";
    Emit("\"stablehlo.reduce_window\"(" + a.name + ", " + start.name +
             ") ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
             "%z = stablehlo.maximum %x, %y : tensor<i32>\nstablehlo.return %z : "
             "tensor<i32>\n}) {window_dimensions = array<i64: " +
             List(window) + ">, window_strides = array<i64: " + List(strides) +
             ">, padding = dense<[" + pairs + "]> : tensor<" +
             std::to_string(a.shape.size()) + "x2xi64>" + InDictionary(shape) + "}",
         shape, "(" + Type(a.shape) + ", " + Type({}) + ") -> " + Type(shape),
         /*sharded=*/false);
  }
  void Convolution() {
    static constexpr int64_t kSizes[] = {4, 6, 8, 12};
    const Shape in = {Uniform(1, 2) * 2, kSizes[Uniform(0, 3)], Uniform(1, 2) * 2};
    const Shape kernel = {Uniform(1, 3), in[2], Uniform(1, 2) * 2};
    const int64_t stride = Uniform(1, 2), dilation = Uniform(1, 2), low = Uniform(0, 2),
                  high = Uniform(0, 2);
    const int64_t span = (kernel[0] - 1) * dilation + 1;
    if (in[1] + low + high < span) return;
    const Shape shape = {in[0], (in[1] + low + high - span) / stride + 1, kernel[2]};
    const Value a = PickOfShape(in), k = PickOfShape(kernel);
    Emit("stablehlo.convolution(" + a.name + ", " + k.name +
             ") dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [" +
             std::to_string(stride) + "], pad = [[" + List({low, high}) +
             "]], rhs_dilate = [" + std::to_string(dilation) +
             "]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64" +
             InDictionary(shape) + "}",
         shape, "(" + Type(in) + ", " + Type(kernel) + ") -> " + Type(shape),
         /*sharded=*/false);
  }
  // Concatenates tensors of several sizes.
  void Join() {
    const Value a = PickTensor();
    const size_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    Shape shape = a.shape;
    std::string names = a.name, types = Type(a.shape);
    for (int64_t i = Uniform(1, 2); i > 0; --i) {
      Shape other = a.shape;
      other[dim] = Uniform(1, 6);
      const Value b = PickOfShape(other);
      names += ", " + b.name;
      types += ", " + Type(other);
      shape[dim] += other[dim];
    }
    Emit("stablehlo.concatenate " + names + ", dim = " + std::to_string(dim), shape,
         "(" + types + ") -> " + Type(shape));
  }
  // Concatenates two or three slices along one dimension; often the end and the
  // beginning.
  void Roll() {
    const Value a = PickTensor();
    const size_t dim = Uniform(0, static_cast<int64_t>(a.shape.size()) - 1);
    const int64_t size = a.shape[dim], cut = Uniform(0, size - 1);
    std::vector<std::pair<int64_t, int64_t>> ranges = {{cut, size}, {0, cut}};
    for (int64_t i = Chance(50) ? Uniform(2, 3) : 0; i > 0; --i) {
      if (i == 3) ranges.emplace_back();
      const int64_t begin = Uniform(0, size - 1);
      ranges[i - 1] = {begin, Uniform(begin, size)};
    }
    Shape shape = a.shape;
    shape[dim] = 0;
    std::string names, types;
    for (auto [begin, end] : ranges) {
      if (begin == end) continue;
      Shape part = a.shape;
      part[dim] = end - begin;
      std::string bounds;
      for (size_t d = 0; d < part.size(); ++d) {
        bounds += (d ? ", " : "") + std::to_string(d == dim ? begin : 0) + ":" +
                  std::to_string(d == dim ? end : part[d]);
      }
      names += (names.empty() ? "" : ", ") +
               Emit("stablehlo.slice " + a.name + " [" + bounds + "]", part,
                    "(" + Type(a.shape) + ") -> " + Type(part));
      types += (types.empty() ? "" : ", ") + Type(part);
      shape[dim] += end - begin;
    }
    if (shape[dim] == 0) return;
    Emit("stablehlo.concatenate " + names + ", dim = " + std::to_string(dim), shape,
         "(" + types + ") -> " + Type(shape));
  }
  // Three steps of a = a + b.
  void Loop() {
    const Value a = Pick(), b = PickOfShape(a.shape);
    const std::string name = Add(a.shape), type = Type(a.shape);
    const std::string n = std::to_string(values_.size());
    body_ +=
        "%zero" + n + " = stablehlo.constant dense<0> : tensor<i32>\n%loop" + n +
        ":2 = stablehlo.while(%i = %zero" + n + ", %a = " + a.name + ") : tensor<i32>, " +
        type +
        " attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, " +
        Dims(a.shape, Chance(70)) +
        ">]>}\ncond {\n%c = stablehlo.constant dense<3> : tensor<i32>\n"
        "%p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\nstablehlo.return %p : tensor<i1>\n} do {\n"
        "%c = stablehlo.constant dense<1> : tensor<i32>\n"
        "%j = stablehlo.add %i, %c : tensor<i32>\n%s = stablehlo.add %a, " +
        b.name + Sharded(a.shape) + " : " + type +
        "\nstablehlo.return %j, %s : tensor<i32>, " + type + "\n}\n" + name +
        " = stablehlo.negate %loop" + n + "#1 : " + type + "\n";
  }
  // The sharding as a further attribute in a dictionary.
  std::string InDictionary(const Shape& shape) {
    if (Chance(30)) return "";
    return ", sdy.sharding = #sdy.sharding_per_value<[<@mesh, " +
           Dims(shape, Chance(70)) + ">]>";
  }

  std::mt19937_64 random_;
  std::vector<NamedAxis> axes_;
  std::string mesh_, body_;
  std::vector<Value> values_;
};

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_RANDOM_PROGRAM_H_
