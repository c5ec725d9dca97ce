#include "tenon/compiler/plan/plan_attribute.h"

#include <optional>
#include <string>
#include <type_traits>

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Builders.h"
#include "tenon/compiler/plan/plan_fields.h"

namespace tenon::compiler {
namespace {

static_assert(HasAllFields<OutDim>() && HasAllFields<Polyphase>() &&
              HasAllFields<Window>() && HasAllFields<Contraction>());
static_assert(HasAllFields<InputCopy>() && HasAllFields<InputCopy::Dim>() &&
              HasAllFields<Stage>() && HasAllFields<TilePlan::Phase>());
// Three members are not fields: the traits, and two that hold instructions of them.
static_assert(HasAllFields<TilePlan>(3) && HasAllFields<KernelPlan>());
static_assert(HasAllFields<FftStep>() && HasAllFields<FourStepFft>() &&
              HasAllFields<FftPhase>() && HasAllFields<FftPlan>());
static_assert(HasAllFields<LinalgPlan>());
static_assert(HasAllFields<SortPlan>(1));  // not a field: the shape

template <typename T>
concept IsStruct = requires { Fields<T>::list; };
template <typename T>
concept IsNumber = std::is_integral_v<T> || std::is_enum_v<T>;
template <typename T>
concept IsList =
    requires(T list) { list.push_back(std::declval<typename T::value_type>()); };
template <typename T>
concept IsPointer = requires(T pointer) { pointer.get(); };

// Writes structs as attributes. The result is null for an empty list, an absent value and
// a struct of defaults.
class Writer {
 public:
  explicit Writer(mlir::MLIRContext* context) : b_(context) {}

  template <IsStruct T>
  mlir::DictionaryAttr Struct(const T& value) {
    static const T kDefault{};
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    auto write = [&](const auto& field) {
      const auto& member = value.*field.member;
      using Member = std::decay_t<decltype(member)>;
      if constexpr (IsNumber<Member> || std::is_floating_point_v<Member>)
        if (member == kDefault.*field.member) return;
      if (mlir::Attribute attribute = Value(member))
        attributes.push_back(b_.getNamedAttr(field.name, attribute));
    };
    std::apply([&](const auto&... field) { (write(field), ...); }, Fields<T>::list);
    return b_.getDictionaryAttr(attributes);
  }

 private:
  template <typename T>
  mlir::Attribute Value(const T& value) {
    if constexpr (std::is_same_v<T, ElementType>) {
      return b_.getStringAttr(llvm::StringRef(ElementTypeName(value)));
    } else if constexpr (std::is_same_v<T, bool>) {
      return b_.getBoolAttr(value);
    } else if constexpr (IsNumber<T>) {
      return b_.getI64IntegerAttr(static_cast<int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return b_.getF64FloatAttr(value);
    } else if constexpr (IsList<T>) {
      return List(value);
    } else if constexpr (IsStruct<T>) {
      mlir::DictionaryAttr fields = Struct(value);
      return fields.empty() ? mlir::Attribute() : fields;
    } else {  // optional, or a pointer
      return value ? mlir::Attribute(Struct(*value)) : mlir::Attribute();
    }
  }

  template <typename T>
  mlir::Attribute List(const T& values) {
    if (values.empty()) return {};
    if constexpr (IsNumber<typename T::value_type>) {
      llvm::SmallVector<int64_t> numbers;
      for (auto value : values) numbers.push_back(static_cast<int64_t>(value));
      return b_.getDenseI64ArrayAttr(numbers);
    } else {
      llvm::SmallVector<mlir::Attribute> attributes;
      for (const auto& value : values) attributes.push_back(Struct(value));
      return b_.getArrayAttr(attributes);
    }
  }

  mlir::Builder b_;
};

// Reads structs from attributes. The status names the first field that cannot be read.
class Reader {
 public:
  template <IsStruct T>
  void Struct(mlir::Attribute attribute, T& value) {
    auto fields = llvm::dyn_cast<mlir::DictionaryAttr>(attribute);
    if (!fields) return Fail("a struct");
    size_t num_read = 0;
    auto read = [&](const auto& field) {
      mlir::Attribute found = fields.get(field.name);
      if (!found) return;
      ++num_read;
      size_t outside = path_.size();
      path_ += std::string(path_.empty() ? "" : ".") + field.name;
      Value(found, value.*field.member);
      path_.resize(outside);
    };
    std::apply([&](const auto&... field) { (read(field), ...); }, Fields<T>::list);
    if (num_read != fields.size()) Fail("a struct that has all of these fields");
  }

  Status status() const { return status_; }

 private:
  void Fail(const std::string& wanted) {
    if (status_.ok())
      status_ = Internal("field '" + path_ + "' of a plan is not " + wanted);
  }

  template <typename T>
  void Value(mlir::Attribute attribute, T& value) {
    if constexpr (std::is_same_v<T, ElementType>) {
      auto name = llvm::dyn_cast<mlir::StringAttr>(attribute);
      auto type = name ? ElementTypeFromName(name.getValue()) : std::nullopt;
      if (!type) return Fail("an element type");
      value = *type;
    } else if constexpr (std::is_same_v<T, bool>) {
      auto flag = llvm::dyn_cast<mlir::BoolAttr>(attribute);
      if (!flag) return Fail("a bool");
      value = flag.getValue();
    } else if constexpr (IsNumber<T>) {
      auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
      if (!number || !number.getType().isInteger(64)) return Fail("an i64");
      value = static_cast<T>(number.getInt());
    } else if constexpr (std::is_floating_point_v<T>) {
      auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute);
      if (!number || !number.getType().isF64()) return Fail("an f64");
      value = number.getValueAsDouble();
    } else if constexpr (IsList<T>) {
      List(attribute, value);
    } else if constexpr (IsStruct<T>) {
      Struct(attribute, value);
    } else if constexpr (IsPointer<T>) {
      auto target = std::make_shared<std::remove_const_t<typename T::element_type>>();
      Struct(attribute, *target);
      value = std::move(target);
    } else {
      Struct(attribute, value.emplace());
    }
  }

  template <typename T>
  void List(mlir::Attribute attribute, T& values) {
    using Element = typename T::value_type;
    if constexpr (IsNumber<Element>) {
      auto numbers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute);
      if (!numbers) return Fail("an array of i64");
      for (int64_t number : numbers.asArrayRef())
        values.push_back(static_cast<Element>(number));
    } else {
      auto elements = llvm::dyn_cast<mlir::ArrayAttr>(attribute);
      if (!elements) return Fail("an array");
      for (mlir::Attribute element : elements) Struct(element, values.emplace_back());
    }
  }

  std::string path_;
  Status status_;
};

template <typename Plan>
StatusOr<Plan> Read(mlir::Attribute attribute) {
  Plan plan{};
  Reader reader;
  reader.Struct(attribute, plan);
  TENON_RETURN_IF_ERROR(reader.status());
  return plan;
}

StatusOr<StructuredPlan> ReadKernelPlan(mlir::Attribute attribute,
                                        const TargetTraits& target) {
  TENON_ASSIGN_OR_RETURN(KernelPlan plan, Read<KernelPlan>(attribute));
  if (plan.tiles) {
    auto tiles = std::make_shared<TilePlan>(*plan.tiles);
    tiles->target = target;
    BindKGroupInstructions(*tiles);
    plan.tiles = std::move(tiles);
  }
  return AsStructuredPlan(std::move(plan));
}

}  // namespace

mlir::DictionaryAttr PlanToAttribute(const StructuredPlan& plan,
                                     mlir::MLIRContext* context) {
  return std::visit([&](const auto& details) { return Writer(context).Struct(details); },
                    plan.details);
}

void SetPlan(mlir::Operation& op, const StructuredPlan& plan) {
  op.setAttr(ir::kPlanAttr, PlanToAttribute(plan, op.getContext()));
}

StatusOr<StructuredPlan> PlanOf(mlir::Operation& op, const TargetTraits& target) {
  mlir::Attribute attribute = op.getAttr(ir::kPlanAttr);
  if (!attribute)
    return Internal(op.getName().getStringRef().str() + " has not been planned");
  if (llvm::isa<ir::FftOp>(op)) {
    TENON_ASSIGN_OR_RETURN(FftPlan plan, Read<FftPlan>(attribute));
    return AsStructuredPlan(std::move(plan));
  }
  if (llvm::isa<ir::LinalgOp>(op)) {
    TENON_ASSIGN_OR_RETURN(LinalgPlan plan, Read<LinalgPlan>(attribute));
    return AsStructuredPlan(std::move(plan));
  }
  if (auto sort = llvm::dyn_cast<ir::SortOp>(op)) {
    TENON_ASSIGN_OR_RETURN(SortPlan plan, Read<SortPlan>(attribute));
    plan.shape = ShapeOfSort(sort);
    return AsStructuredPlan(std::move(plan));
  }
  return ReadKernelPlan(attribute, target);
}

}  // namespace tenon::compiler
