#include "tenon/devices/opencl/bitcode.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "tenon/devices/opencl/spirv_module.h"

extern char** environ;

namespace tenon::opencl {
namespace {

constexpr size_t kMaxPrinted = 4000;  // bytes of the translator's errors in an error

// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error) / "tenon-bitcode-XXXXXX";
    std::string name = path_.string();
    path_ = !error && mkdtemp(name.data()) ? name : "";
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  bool exists() const { return !path_.empty(); }
  std::string File(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Runs a program with its output in a file. Returns why it was not successful, or "".
std::string Run(std::vector<std::string> command, const std::string& output) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) return std::strerror(failed);
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return std::strerror(errno);
  }
  if (WIFSIGNALED(state)) return "it ended by signal " + std::to_string(WTERMSIG(state));
  if (WEXITSTATUS(state) == 0) return "";
  return "it ended with status " + std::to_string(WEXITSTATUS(state));
}

}  // namespace

std::string TranslatorOf(const std::string& platform_name, const std::string& version) {
  constexpr std::string_view kLlvm = "LLVM ";
  if (platform_name != "Portable Computing Language") return "";
  const size_t at = version.find(kLlvm);
  if (at == std::string::npos) return "";
  const std::string rest = version.substr(at + kLlvm.size());
  return "llvm-spirv-" + rest.substr(0, rest.find_first_not_of("0123456789"));
}

bool IsInPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

StatusOr<std::string> TranslateToBitcode(const std::string& module,
                                         const std::string& translator) {
  const TemporaryFolder folder;
  if (!folder.exists()) {
    return Internal(std::string("no temporary folder for ") + translator + ": " +
                    std::strerror(errno));
  }
  const std::string in = folder.File("module.spv"), out = folder.File("module.bc"),
                    printed = folder.File("printed");
  std::ofstream file(in, std::ios::binary);
  file << WithoutScalarNulls(module);
  file.close();
  std::string reason =
      file ? Run({translator, "-r", in, "-o", out}, printed) : "cannot write " + in;
  if (reason.empty()) {
    std::string bitcode = Contents(out);
    if (!bitcode.empty()) return bitcode;
    reason = "it wrote nothing";
  }
  std::string message = Contents(printed);
  message.resize(std::min(message.size(), kMaxPrinted));
  return Internal(translator + " cannot translate the SPIR-V module: " + reason +
                  (message.empty() ? "" : "; it printed: " + message));
}

}  // namespace tenon::opencl
