#include "tenon/compiler/object/info_data.h"

namespace tenon::compiler {
namespace {

// Tokens are no arguments of functions.
template <typename Use>
void ForEachTensor(const std::vector<ImageTensor>& tensors, Use use) {
  for (const ImageTensor& tensor : tensors)
    if (tensor.type != ElementType::kToken) use(tensor);
}

}  // namespace

llvm::GlobalVariable* InfoData::Global(llvm::Constant* value, const std::string& name) {
  return new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::InternalLinkage, value, name);
}

llvm::Constant* InfoData::Text(const std::string& text) {
  auto* global =
      Global(llvm::ConstantDataArray::getString(module_.getContext(), text), "info.text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

llvm::Constant* InfoData::Bytes(const std::string& bytes) {
  auto* global = Global(llvm::ConstantDataArray::getString(module_.getContext(), bytes),
                        "info.bytes");
  global->setAlignment(llvm::Align(16));
  return global;
}

llvm::Constant* InfoData::Tensor(const ImageTensor& tensor, const std::string& name,
                                 int64_t alias) {
  llvm::Constant* dims = Null();
  if (!tensor.dims.empty()) {
    const auto* sizes = reinterpret_cast<const uint64_t*>(tensor.dims.data());
    dims = Global(
        llvm::ConstantDataArray::get(module_.getContext(),
                                     llvm::ArrayRef<uint64_t>(sizes, tensor.dims.size())),
        "info.dims");
  }
  llvm::Constant* fields[] = {Text(name),
                              Text(std::string(ElementTypeName(tensor.type))),
                              dims,
                              b_.getInt64(static_cast<uint64_t>(tensor.ByteSize())),
                              b_.getInt32(static_cast<uint32_t>(tensor.dims.size())),
                              b_.getInt32(static_cast<uint32_t>(alias))};
  return llvm::ConstantStruct::getAnon(fields);
}

llvm::Constant* InfoData::Table(const std::vector<llvm::Constant*>& rows,
                                const char* kind) {
  if (rows.empty()) return Null();
  auto* type = llvm::ArrayType::get(rows[0]->getType(), rows.size());
  return Global(llvm::ConstantArray::get(type, rows), std::string("info.") + kind);
}

void InfoData::DefineInfo(const Image& image, const InterfaceNames& names,
                          const TargetDescription& target, uint64_t arena_bytes) {
  const ExecutableInfo& info = image.info;
  std::vector<int64_t> aliases(info.results.size(), -1);
  for (const ImageAlias& alias : info.aliases)
    aliases[static_cast<size_t>(alias.result)] = alias.parameter;
  std::vector<llvm::Constant*> args, results;
  for (size_t i = 0; i < info.parameters.size(); ++i)
    args.push_back(Tensor(info.parameters[i], names.parameters[i], -1));
  for (size_t i = 0; i < info.results.size(); ++i)
    results.push_back(Tensor(info.results[i], names.results[i], aliases[i]));
  auto flops = info.costs.find("flops");
  llvm::Constant* fields[] = {
      Text(prefix_),
      Text(target.name),
      Table(args, "args"),
      Table(results, "results"),
      b_.getInt64(info.parameters.size()),
      b_.getInt64(info.results.size()),
      b_.getInt64(arena_bytes),
      llvm::ConstantFP::get(b_.getDoubleTy(),
                            flops == info.costs.end() ? 0 : flops->second)};
  Global(llvm::ConstantStruct::getAnon(fields), prefix_ + "_info")
      ->setLinkage(llvm::GlobalValue::ExternalLinkage);
}

void InfoData::AddAttributes(const std::vector<ffi::Attribute>& attributes,
                             const std::string& outer,
                             std::vector<llvm::Constant*>& rows) {
  for (const ffi::Attribute& attribute : attributes) {
    const std::string name = outer + attribute.name;
    if (attribute.kind == ffi::Attribute::Kind::kDictionary) {
      AddAttributes(attribute.entries, name + ".", rows);
      continue;
    }
    const bool is_text = attribute.kind == ffi::Attribute::Kind::kString;
    const int64_t count =
        is_text ? static_cast<int64_t>(attribute.bytes.size()) : attribute.size();
    llvm::Constant* fields[] = {
        Text(name), is_text ? Null() : Text(std::string(ElementTypeName(attribute.type))),
        Bytes(attribute.bytes), b_.getInt64(static_cast<uint64_t>(count))};
    rows.push_back(llvm::ConstantStruct::getAnon(fields));
  }
}

StatusOr<llvm::Constant*> InfoData::FfiCall(const ImageFfiCall& call) {
  TENON_ASSIGN_OR_RETURN(const std::vector<ffi::Attribute> decoded,
                         ffi::DecodeAttributes(call.attributes));
  std::vector<llvm::Constant*> args, results, attributes;
  ForEachTensor(call.operands, [&](const ImageTensor& tensor) {
    args.push_back(Tensor(tensor, "arg" + std::to_string(args.size()), -1));
  });
  ForEachTensor(call.results, [&](const ImageTensor& tensor) {
    results.push_back(Tensor(tensor, "result" + std::to_string(results.size()), -1));
  });
  AddAttributes(decoded, "", attributes);
  llvm::Constant* fields[] = {Text(call.target),
                              Table(args, "call_args"),
                              Table(results, "call_results"),
                              Table(attributes, "attributes"),
                              b_.getInt64(args.size()),
                              b_.getInt64(results.size()),
                              b_.getInt64(attributes.size())};
  return Global(llvm::ConstantStruct::getAnon(fields), "info.ffi_call");
}

}  // namespace tenon::compiler
