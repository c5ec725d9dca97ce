// Makes an archive, a shared library or a WebAssembly module of an object file.
#ifndef TENON_COMPILER_OBJECT_PACKAGE_H_
#define TENON_COMPILER_OBJECT_PACKAGE_H_

#include <string>

#include "tenon/base/status.h"
#include "tenon/compiler/object/object.h"

namespace tenon::compiler {

enum class PackageKind { kObject, kArchive, kShared, kWasm };

// Writes the file `path`. A shared library and a module are linked by LLD (ld.lld or
// wasm-ld on the PATH, also with the suffix -22): FAILED_PRECONDITION if there is none.
Status WritePackage(const ObjectFile& object, const std::string& name, PackageKind kind,
                    const std::string& path);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_PACKAGE_H_
