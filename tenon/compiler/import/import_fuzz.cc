// libFuzzer target of the importer: any bytes must give a module or an error. Built if
// TENON_FUZZ is on; use the golden artifacts as its corpus.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/compiler/import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string_view code(reinterpret_cast<const char*>(data), size);
  (void)tenon::compiler::ImportProgram(context, code).ok();
  return 0;
}
