// tenon-run-image: runs an executable image on this machine, without a compiler and
// without PJRT, so that images can be tested on any processor that the runtime is built
// for.
#include <CLI/CLI.hpp>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tenon/devices/cpu/float_mode.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/executable/loader.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"
#include "tenon/types/npy.h"
#include "tenon/types/random_literal.h"

namespace tenon::tools {
namespace {

struct Options {
  std::string image, output_prefix;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  int threads = 0;
  bool show_target = false;
};

StatusOr<std::string> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) return NotFound("cannot read '" + path + "'");
  return bytes;
}

// Reads the arguments from files. Without files it generates the same random arguments as
// tenon-run does for the same seed.
StatusOr<std::vector<Literal>> MakeArguments(const ExecutableInfo& info,
                                             const Options& options) {
  const size_t count = info.parameters.size();
  if (!options.inputs.empty() && options.inputs.size() != count) {
    return InvalidArgument("the program takes " + std::to_string(count) +
                           " arguments, but --input was given " +
                           std::to_string(options.inputs.size()) + " times");
  }
  std::vector<Literal> arguments;
  for (size_t i = 0; i < count; ++i) {
    const ImageTensor& parameter = info.parameters[i];
    if (options.inputs.empty()) {
      arguments.push_back(
          RandomLiteral(parameter.type, parameter.dims, options.seed * count + i));
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Literal literal, ReadNpy(options.inputs[i], parameter.type));
    if (literal.dims() != parameter.dims) {
      return InvalidArgument("'" + options.inputs[i] + "' has " +
                             ShapeString(literal.type(), literal.dims()) +
                             ", but argument " + std::to_string(i) +
                             " of the program is " +
                             ShapeString(parameter.type, parameter.dims));
    }
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

// Buffers from the runtime's allocator. The destructor frees them.
class Buffers {
 public:
  explicit Buffers(runtime::Runtime& runtime) : allocator_(runtime.allocator()) {}
  ~Buffers() {
    for (auto [block, size] : blocks_) allocator_.Free(block, size);
  }
  StatusOr<void*> Add(const ImageTensor& tensor) {
    const auto size = static_cast<size_t>(tensor.ByteSize());
    TENON_ASSIGN_OR_RETURN(void* block, allocator_.Allocate(size));
    blocks_.emplace_back(block, size);
    buffers_.push_back({block, nullptr});
    return block;
  }
  const RunBuffer* data() const { return buffers_.data(); }
  const void* operator[](size_t i) const { return buffers_[i].data; }

 private:
  runtime::Allocator& allocator_;
  std::vector<std::pair<void*, size_t>> blocks_;
  std::vector<RunBuffer> buffers_;
};

Status Run(const Options& options) {
  TENON_ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(options.image));
  TENON_ASSIGN_OR_RETURN(Image image, Image::Deserialize(bytes));
  TENON_ASSIGN_OR_RETURN(auto loaded, LoadImage(std::move(image), cpu::HostMachine()));
  TENON_ASSIGN_OR_RETURN(auto program, runtime::Program::Create(loaded, "tenon"));
  const ExecutableInfo& info = loaded->info();
  if (options.show_target) std::cout << loaded->code().target << "\n";

  runtime::RuntimeOptions runtime_options{.float_mode = cpu::kFloatMode};
  runtime_options.team.num_threads = options.threads;
  runtime::Runtime runtime(runtime_options);
  TENON_ASSIGN_OR_RETURN(const std::vector<Literal> literals,
                         MakeArguments(info, options));
  Buffers arguments(runtime), results(runtime);
  for (size_t i = 0; i < literals.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(void* block, arguments.Add(info.parameters[i]));
    std::memcpy(block, literals[i].data(), static_cast<size_t>(literals[i].byte_size()));
  }
  for (const ImageTensor& result : info.results) {
    TENON_RETURN_IF_ERROR(results.Add(result).status());
  }
  for (const ImageAlias& alias : info.aliases) {
    const auto result = static_cast<size_t>(alias.result);
    std::memcpy(const_cast<void*>(results[result]),
                arguments[static_cast<size_t>(alias.parameter)],
                static_cast<size_t>(info.results[result].ByteSize()));
  }
  TENON_RETURN_IF_ERROR(
      program->Run(runtime, arguments.data(), results.data(), RunIds{}));
  for (size_t i = 0; i < info.results.size(); ++i) {
    const ImageTensor& tensor = info.results[i];
    const Literal result = Literal::Copy(tensor.type, tensor.dims, results[i]);
    if (options.output_prefix.empty()) {
      std::cout << "result " << i << ": " << result.ToString(16) << "\n";
    } else {
      TENON_RETURN_IF_ERROR(
          WriteNpy(options.output_prefix + std::to_string(i) + ".npy", result));
    }
  }
  return OkStatus();
}

}  // namespace
}  // namespace tenon::tools

int main(int argc, char** argv) {
  tenon::tools::Options options;
  CLI::App app{
      "Runs an executable image (tenon-compile's) on this machine and shows or\n"
      "saves its results. Arrays are dense and in the order that the image has them."};
  app.name("tenon-run-image");
  app.add_option("image", options.image, "the image")->required();
  app.add_option("-i,--input", options.inputs, "an argument, as a .npy file")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("-o,--output", options.output_prefix,
                 "save result K as <prefix>K.npy instead of showing it");
  app.add_option("--seed", options.seed,
                 "seed of the random arguments, if there is no --input");
  app.add_option("--threads", options.threads,
                 "threads that compute; 0: one per processor");
  app.add_flag("--show-target", options.show_target,
               "print the target of the code that runs");
  CLI11_PARSE(app, argc, argv);
  const tenon::Status status = tenon::tools::Run(options);
  if (status.ok()) return 0;
  std::cerr << "tenon-run-image: " << status.ToString() << "\n";
  return 1;
}
