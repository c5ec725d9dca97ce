#include "tenon/compiler/object/package.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace tenon::compiler {
namespace {

Status WriteBytes(const std::string& bytes, const std::string& path) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) file << bytes;
  file.close();
  if (!error) error = file.error();
  file.clear_error();
  if (error) return InvalidArgument("cannot write '" + path + "': " + error.message());
  return OkStatus();
}

Status WriteArchive(const ObjectFile& object, const std::string& name,
                    const std::string& path) {
  const std::string member_name = name + ".o";
  llvm::NewArchiveMember member(llvm::MemoryBufferRef(object.bytes, member_name));
  std::vector<llvm::NewArchiveMember> members;
  members.push_back(std::move(member));
  auto archive = llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive) return Internal(llvm::toString(archive.takeError()));
  return WriteBytes((*archive)->getBuffer().str(), path);
}

StatusOr<std::string> FindLinker(const std::string& name) {
  for (const std::string& tried : {name + "-22", name})
    if (auto path = llvm::sys::findProgramByName(tried)) return *path;
  return FailedPrecondition("linking needs " + name +
                            ", which is not on the PATH; install LLD, or use "
                            "--emit=object and another linker");
}

Status Link(const ObjectFile& object, const std::string& linker,
            const std::vector<std::string>& flags, const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const std::string program, FindLinker(linker));
  llvm::SmallString<128> input;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("tenon", "o", input))
    return InvalidArgument("cannot create a temporary file: " + error.message());
  auto remove = llvm::make_scope_exit([&] { llvm::sys::fs::remove(input); });
  TENON_RETURN_IF_ERROR(WriteBytes(object.bytes, input.str().str()));
  std::vector<llvm::StringRef> command{linker};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {input.str(), "-o", path});
  std::string message;
  if (llvm::sys::ExecuteAndWait(program, command, std::nullopt, {}, 0, 0, &message) != 0)
    return Internal(linker + " failed " + message);
  return OkStatus();
}

}  // namespace

Status WritePackage(const ObjectFile& object, const std::string& name, PackageKind kind,
                    const std::string& path) {
  const bool is_wasm = llvm::Triple(object.triple).isWasm();
  if (is_wasm != (kind == PackageKind::kWasm) && kind != PackageKind::kObject &&
      kind != PackageKind::kArchive) {
    return InvalidArgument(is_wasm ? "code for " + object.triple +
                                         " cannot become a shared library"
                                   : "a WebAssembly module needs --target wasm32");
  }
  switch (kind) {
    case PackageKind::kObject:
      return WriteBytes(object.bytes, path);
    case PackageKind::kArchive:
      return WriteArchive(object, name, path);
    case PackageKind::kShared:
      return Link(
          object, "ld.lld",
          {"-shared", "-z", "now", "-soname", llvm::sys::path::filename(path).str()},
          path);
    case PackageKind::kWasm:
      break;
  }
  std::vector<std::string> flags{
      "--no-entry", "--export-memory", "--export=__heap_base",
      "-zstack-size=" +
          std::to_string(65536 + (object.stack_bytes + 65535) / 65536 * 65536)};
  // Functions for custom calls come from the host, as imports of the module "env".
  if (!object.undefined.empty()) flags.push_back("--import-undefined");
  for (const char* function : {"_run", "_call", "_supported", "_info"})
    flags.push_back("--export-if-defined=" + name + function);
  return Link(object, "wasm-ld", flags, path);
}

}  // namespace tenon::compiler
