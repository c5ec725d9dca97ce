#include "tenon/compiler/pipeline/program_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/xxhash.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/legalize/chlo_functions.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/program_text.h"
#include "tenon/reference/literal_from_attr.h"

namespace tenon::compiler {
namespace {

using mlir::ModuleOp;

// Constants up to this size are written into the text, where people can read them.
constexpr int64_t kMaxInlineElements = 64;

bool IsLarge(mlir::ElementsAttr value) {
  if (llvm::isa<mlir::DenseResourceElementsAttr>(value)) return true;
  return !value.isSplat() && value.getNumElements() > kMaxInlineElements;
}

// Returns whether a constant's bytes in the image equal those of the text's hexadecimal
// form. MLIR writes constants of other element widths itself.
bool HasPlainBytes(mlir::ElementsAttr value) {
  const ElementType type = ir::ElementTypeOf(value.getElementType());
  return type == ElementType::kPred ||
         (type != ElementType::kInvalid && ElementBits(type) % 8 == 0);
}

// The rewrites that the module needs before it can be written.
struct Needs {
  bool decompositions = false, factorizations = false;
  bool constants = false;

  explicit Needs(ModuleOp module) {
    module.walk([&](mlir::Operation* op) {
      if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
        decompositions |= IsElementwise(composite);
      factorizations |= llvm::isa<ir::CholeskyOp, ir::LuOp>(op);
      if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
        constants |= IsLarge(constant.getValue());
    });
  }
  bool any() const { return decompositions || factorizations || constants; }
};

void AddDecompositions(ModuleOp module) {
  Decompositions decompositions(module);
  module.walk([&](stablehlo::CompositeOp composite) {
    if (IsElementwise(composite)) decompositions.Attach(composite);
  });
}

// Replaces the values of large constants by resources named by their number. Booleans are
// written as bytes, because versions of MLIR differ in how they pack bits.
void NumberConstants(ModuleOp module, llvm::SmallVectorImpl<mlir::ElementsAttr>& all) {
  auto& resources =
      mlir::DenseResourceElementsHandle::getManagerInterface(module.getContext());
  llvm::DenseMap<mlir::Attribute, size_t> numbers;
  module.walk([&](stablehlo::ConstantOp constant) {
    mlir::ElementsAttr value = constant.getValue();
    if (!IsLarge(value) || !HasPlainBytes(value)) return;
    const auto [known, added] = numbers.try_emplace(value, all.size());
    if (added) all.push_back(value);
    mlir::OpBuilder b(constant);
    auto type = llvm::cast<mlir::RankedTensorType>(constant.getType());
    const bool is_pred = type.getElementType().isInteger(1);
    auto stored = is_pred ? type.clone(b.getI8Type()) : type;
    auto handle = resources.insert(ConstantName(known->second), std::nullopt);
    auto numbered = stablehlo::ConstantOp::create(
        b, constant.getLoc(), stored,
        mlir::DenseResourceElementsAttr::get(stored, handle));
    mlir::Value result = numbered;
    if (is_pred)
      result = stablehlo::ConvertOp::create(b, constant.getLoc(), result, b.getI1Type());
    constant.getResult().replaceAllUsesWith(result);
    constant.erase();
  });
}

// The configuration of a custom call without numbers that may be addresses.
mlir::Attribute WithoutAddresses(mlir::Attribute config) {
  if (auto text = llvm::dyn_cast<mlir::StringAttr>(config)) {
    const bool is_number = llvm::all_of(text.getValue(), llvm::isDigit);
    return is_number ? mlir::StringAttr::get(config.getContext(), "") : config;
  }
  auto entries = llvm::dyn_cast<mlir::DictionaryAttr>(config);
  if (!entries) return config;
  llvm::SmallVector<mlir::NamedAttribute> kept;
  for (mlir::NamedAttribute entry : entries)
    if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(entry.getValue());
        !number || !number.getType().isInteger(64))
      kept.push_back(entry);
  return mlir::DictionaryAttr::get(config.getContext(), kept);
}

// The text of the module without such addresses; nullopt if it has none.
std::optional<std::string> TextWithoutAddresses(ModuleOp module) {
  llvm::SmallVector<std::pair<mlir::Operation*, mlir::DictionaryAttr>> changed;
  module.walk([&](stablehlo::CustomCallOp call) {
    mlir::NamedAttrList attributes(call->getAttrDictionary());
    bool differs = false;
    for (llvm::StringRef name : {"backend_config", "mhlo.backend_config"}) {
      mlir::Attribute config = attributes.get(name);
      if (!config || WithoutAddresses(config) == config) continue;
      attributes.set(name, WithoutAddresses(config));
      differs = true;
    }
    if (!differs) return;
    changed.push_back({call, call->getAttrDictionary()});
    call->setAttrs(attributes.getDictionary(call.getContext()));
  });
  if (changed.empty()) return std::nullopt;
  std::string text = WriteProgram(module).text;
  for (auto [call, attributes] : changed) call->setAttrs(attributes);
  return text;
}

}  // namespace

std::string SharedFingerprint(const ProgramText& program, ModuleOp module) {
  llvm::MD5 hash;
  std::optional<std::string> text = TextWithoutAddresses(module);
  hash.update(text ? *text : program.text);
  for (mlir::ElementsAttr constant : program.constants) {
    llvm::ArrayRef<char> bytes;
    if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant))
      bytes = dense.getRawData();
    else if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(constant))
      if (mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob())
        bytes = blob->getData();
    const llvm::XXH128_hash_t digest = llvm::xxh3_128bits(
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    const uint64_t words[] = {digest.low64, digest.high64, bytes.size()};
    hash.update(
        llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(words), sizeof(words)));
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

ProgramText WriteProgram(ModuleOp module) {
  ProgramText program;
  mlir::OwningOpRef<ModuleOp> copy;
  const Needs needs(module);
  if (needs.any()) {
    copy = module.clone();
    module = *copy;
    if (needs.factorizations) ReplaceFactorizations(module);
    if (needs.decompositions) AddDecompositions(module);
    if (needs.constants) NumberConstants(module, program.constants);
  }
  llvm::raw_string_ostream os(program.text);
  module.print(os, mlir::OpPrintingFlags().assumeVerified());
  return program;
}

StatusOr<std::string> PlaceConstants(const ProgramText& program, ModuleOp module) {
  if (program.constants.empty()) return program.text;
  llvm::DenseMap<mlir::Attribute, uint64_t> offsets;
  for (auto data : module.getOps<ir::ConstantDataOp>())
    offsets[data.getValue()] = data.getOffset();
  std::vector<std::string> values;
  for (mlir::ElementsAttr constant : program.constants) {
    auto offset = offsets.find(constant);
    if (offset != offsets.end()) {
      auto type = llvm::cast<mlir::RankedTensorType>(constant.getShapedType());
      const int64_t bytes =
          type.getNumElements() * ElementBytes(ir::ElementTypeOf(type.getElementType()));
      values.push_back(StoredConstant(offset->second, bytes));
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Literal literal, LiteralFromAttr(constant));
    values.push_back(
        HexConstant({literal.data(), static_cast<size_t>(literal.byte_size())}));
  }
  return ReplaceConstants(program.text, values);
}

}  // namespace tenon::compiler
