// C++20 over the C library of tenon/runtime.h: handles that close themselves, spans, and
// results that hold a value or an error. Header-only; needs neither exceptions nor RTTI.
//
//   auto program = tenon::rt::Program::Open("model.tenon");
//   if (!program) return Report(program.error().message());
//   auto y = program->MakeOutputs();
//   if (auto error = program->Run({x.data()}, y.pointers())) return
//   Report(error.message());
#ifndef TENON_RUNTIME_HPP_
#define TENON_RUNTIME_HPP_

#include "runtime.h"

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::rt {

// True if something failed.
class Error {
 public:
  Error() : value_{} {}
  explicit operator bool() const { return value_.code != TENON_OK; }
  int code() const { return value_.code; }
  const char* message() const { return value_.message; }
  tenon_error* get() { return &value_; }

 private:
  tenon_error value_;
};

// A value, or the error that prevented it.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(const Error& error) : error_(error) {}

  explicit operator bool() const { return !error_; }
  const Error& error() const { return error_; }
  T& operator*() { return value_; }
  T* operator->() { return &value_; }

 private:
  T value_{};
  Error error_;
};

// Threads that compute. Move-only. An empty one is the caller's thread alone.
class Team {
 public:
  Team() = default;
  Team(Team&& other) noexcept : team_(std::exchange(other.team_, nullptr)) {}
  Team& operator=(Team&& other) noexcept {
    std::swap(team_, other.team_);
    return *this;
  }
  ~Team() { tenon_team_destroy(team_); }

  // 0 threads: one for each processor.
  static Result<Team> Create(int num_threads = 0) {
    Team team;
    Error error;
    if (tenon_team_create(num_threads, &team.team_, error.get())) return error;
    return team;
  }
  // See tenon_team_from_callback.
  static Result<Team> From(tenon_parallel_for parallel_for, void* user, int num_threads) {
    Team team;
    Error error;
    if (tenon_team_from_callback(parallel_for, user, num_threads, &team.team_,
                                 error.get()))
      return error;
    return team;
  }
  tenon_team* get() const { return team_; }

 private:
  tenon_team* team_ = nullptr;
};

// Arrays aligned to 64 bytes, one for each tensor. Move-only.
class Arrays {
 public:
  explicit Arrays(std::span<const tenon_tensor> tensors) {
    for (const tenon_tensor& tensor : tensors)
      pointers_.push_back(std::aligned_alloc(64, (tensor.bytes + 64) / 64 * 64));
  }
  Arrays(Arrays&& other) noexcept : pointers_(std::exchange(other.pointers_, {})) {}
  Arrays& operator=(Arrays&& other) noexcept {
    pointers_.swap(other.pointers_);
    return *this;
  }
  ~Arrays() {
    for (void* pointer : pointers_) std::free(pointer);
  }

  std::span<void* const> pointers() const { return pointers_; }
  // Array i, of the tensor's elements as T.
  template <typename T>
  T* data(size_t i) const {
    return static_cast<T*>(pointers_[i]);
  }

 private:
  std::vector<void*> pointers_;
};

// An open .tenon file. Move-only. Any number of threads may run it at a time.
class Program {
 public:
  Program() = default;
  Program(Program&& other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
  Program& operator=(Program&& other) noexcept {
    std::swap(program_, other.program_);
    return *this;
  }
  ~Program() { tenon_program_close(program_); }

  // `flags` of enum tenon_open_flags. `weights` is the path of a safetensors file; null:
  // the one that the program names, if any.
  static Result<Program> Open(const char* path, uint32_t flags = 0,
                              const char* weights = nullptr) {
    Program program;
    Error error;
    const tenon_open_options options = {sizeof options, flags, weights};
    if (tenon_program_open(path, &options, &program.program_, error.get())) return error;
    return program;
  }
  // The bytes must stay while the program is open; aligned to 64.
  static Result<Program> OpenMemory(std::span<const std::byte> bytes, uint32_t flags = 0,
                                    const char* weights = nullptr) {
    Program program;
    Error error;
    const tenon_open_options options = {sizeof options, flags, weights};
    if (tenon_program_open_memory(bytes.data(), bytes.size(), &options, &program.program_,
                                  error.get()))
      return error;
    return program;
  }

  std::string_view name() const { return signature().name; }
  std::string_view target() const { return tenon_program_target(program_); }
  std::string_view note() const { return tenon_program_note(program_); }
  std::span<const tenon_tensor> inputs() const {
    return {signature().inputs, signature().num_inputs};
  }
  std::span<const tenon_tensor> outputs() const {
    return {signature().outputs, signature().num_outputs};
  }
  std::span<const tenon_tensor> weights() const {
    return {signature().weights, signature().num_weights};
  }
  size_t arena_bytes() const { return tenon_program_arena_bytes(program_); }
  Arrays MakeInputs() const { return Arrays(inputs()); }
  Arrays MakeOutputs() const { return Arrays(outputs()); }

  // See tenon_program_run. An error if the numbers of arrays are not the program's.
  Error Run(std::span<const void* const> inputs, std::span<void* const> outputs,
            const Team& team = {}, void* arena = nullptr) const {
    Error error;
    if (inputs.size() != signature().num_inputs ||
        outputs.size() != signature().num_outputs) {
      *error.get() = {TENON_INVALID_ARGUMENT, "wrong number of inputs or outputs"};
      return error;
    }
    tenon_program_run(program_, team.get(), inputs.data(), outputs.data(), arena,
                      error.get());
    return error;
  }
  Error Run(std::initializer_list<const void*> inputs, std::span<void* const> outputs,
            const Team& team = {}, void* arena = nullptr) const {
    return Run(std::span(inputs.begin(), inputs.size()), outputs, team, arena);
  }
  Error Run(std::span<void* const> inputs, std::span<void* const> outputs,
            const Team& team = {}, void* arena = nullptr) const {
    return Run(std::span<const void* const>(inputs.data(), inputs.size()), outputs, team,
               arena);
  }

  const tenon_program* get() const { return program_; }

 private:
  const tenon_signature& signature() const { return *tenon_program_signature(program_); }

  tenon_program* program_ = nullptr;
};

}  // namespace tenon::rt

#endif  // TENON_RUNTIME_HPP_
