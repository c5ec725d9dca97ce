// Real programs for tests, read from the archives in the shared folder.
//
// The folder is $TENON_SHARED, or else `shared` beside the repository. Tests skip with a
// message if it is absent.
#ifndef TENON_COMPILER_IMPORT_CONFORMANCE_PROGRAMS_H_
#define TENON_COMPILER_IMPORT_CONFORMANCE_PROGRAMS_H_

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tenon::compiler {

struct ConformanceProgram {
  std::string name;
  std::string code;
};

inline std::filesystem::path SharedFolder() {
  if (const char* shared = std::getenv("TENON_SHARED")) return shared;
  // <repository>/tenon/compiler/import/conformance_programs.h
  auto repository = std::filesystem::path(__FILE__).parent_path() / "../../..";
  return (repository / "../shared").lexically_normal();
}

// All programs of `archive` ("vhlo-golden" or "testdata") by name; empty if it is absent.
inline std::vector<ConformanceProgram> ConformancePrograms(const std::string& archive) {
  namespace fs = std::filesystem;
  bool golden = archive == "vhlo-golden";
  fs::path file = SharedFolder() / "conformance" /
                  (golden ? "vhlo-golden.tar.xz" : "stablehlo-testdata.tar.xz");
  std::vector<ConformanceProgram> programs;
  if (!fs::exists(file)) return programs;
  std::string folder = testing::TempDir() + "/tenon_conformance_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return programs;
  std::string command = "tar -xJf '" + file.string() + "' -C '" + folder + "'";
  if (std::system(command.c_str()) == 0) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      programs.push_back({entry.path().filename().string(),
                          std::string(std::istreambuf_iterator<char>(stream), {})});
    }
  }
  fs::remove_all(folder);
  std::sort(programs.begin(), programs.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return programs;
}

#define TENON_SKIP_WITHOUT_PROGRAMS(programs)                                           \
  if (programs.empty())                                                                 \
  GTEST_SKIP() << "no archive of StableHLO's test programs (stablehlo-testdata.tar.xz " \
                  "or vhlo-golden.tar.xz) in "                                          \
               << SharedFolder() / "conformance"                                        \
               << ": put it there, or set TENON_SHARED to the folder above"

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_CONFORMANCE_PROGRAMS_H_
