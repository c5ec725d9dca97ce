// The constants of an object file that describe it, as LLVM IR. Members of structures are
// those of the header (header.cc), in its order.
#ifndef TENON_COMPILER_OBJECT_INFO_DATA_H_
#define TENON_COMPILER_OBJECT_INFO_DATA_H_

#include <string>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/object/interface_code.h"
#include "tenon/ffi/attributes.h"

namespace tenon::compiler {

class InfoData {
 public:
  // `prefix`: of the symbols.
  InfoData(llvm::Module& module, std::string prefix)
      : module_(module), prefix_(std::move(prefix)), b_(module.getContext()) {}

  // Defines NAME_info, a tenon_model_info.
  void DefineInfo(const Image& image, const InterfaceNames& names,
                  const TargetDescription& target, uint64_t arena_bytes);
  // A tenon_ffi_call.
  StatusOr<llvm::Constant*> FfiCall(const ImageFfiCall& call);

 private:
  llvm::GlobalVariable* Global(llvm::Constant* value, const std::string& name);
  llvm::Constant* Null() { return llvm::ConstantPointerNull::get(b_.getPtrTy()); }
  llvm::Constant* Text(const std::string& text);
  llvm::Constant* Bytes(const std::string& bytes);
  llvm::Constant* Tensor(const ImageTensor& tensor, const std::string& name,
                         int64_t alias);
  // An array of structures; null if there are none.
  llvm::Constant* Table(const std::vector<llvm::Constant*>& rows, const char* kind);
  void AddAttributes(const std::vector<ffi::Attribute>& attributes,
                     const std::string& outer, std::vector<llvm::Constant*>& rows);

  llvm::Module& module_;
  std::string prefix_;
  llvm::IRBuilder<> b_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_INFO_DATA_H_
