#include "tenon/compiler/object/header.h"

#include <cctype>
#include <charconv>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/object/ffi_functions.h"

namespace tenon::compiler {
namespace {

// The types that all headers of this kind share. interface_code.cc builds the data.
constexpr char kTypes[] = R"(#ifndef TENON_OBJECT_TYPES_
#define TENON_OBJECT_TYPES_
/* An argument or a result. Dense; row-major unless the list in the header gives another
 * order. */
typedef struct {
  const char *name;
  const char *type;    /* of an element, as in StableHLO: "f32", "i1", "complex<f32>" */
  const int64_t *dims; /* NULL if rank is 0 */
  uint64_t bytes;
  int32_t rank;
  int32_t alias;       /* of a result in place: the number of the argument; else -1 */
} tenon_model_tensor;

typedef struct {
  const char *name, *target;
  const tenon_model_tensor *args, *results;
  uint64_t num_args, num_results;
  uint64_t arena_bytes;
  double flops;
} tenon_model_info;

/* Threads of the caller. parallel_for calls body(data, 0) to body(data, chunks - 1), in
 * any order and on any threads, and returns when all have returned. */
typedef struct {
  void *user;
  void (*parallel_for)(void *user, void (*body)(void *data, int64_t chunk), void *data,
                       int64_t chunks);
} tenon_env;
#endif
)";

// Those of headers of programs with custom calls.
constexpr char kCallTypes[] = R"(#ifndef TENON_OBJECT_CALL_TYPES_
#define TENON_OBJECT_CALL_TYPES_
/* Of a custom call: an entry of its dictionary. Entries of inner dictionaries have names
 * like "outer.inner". */
typedef struct {
  const char *name;
  const char *type; /* of an element; NULL for a string, which ends in 0 */
  const void *data;
  uint64_t count;   /* elements, or bytes of the string */
} tenon_attribute;

typedef struct {
  const char *target;
  const tenon_model_tensor *args, *results;
  const tenon_attribute *attributes; /* in the order of their names */
  uint64_t num_args, num_results, num_attributes;
} tenon_ffi_call;
#endif
)";

// The C type that holds an element, and how many of them one element takes.
struct CType {
  const char* name;
  int per_element = 1;
};

CType CTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return {"float"};
    case ElementType::kF64:
      return {"double"};
    case ElementType::kC64:
      return {"float", 2};
    case ElementType::kC128:
      return {"double", 2};
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
      return {"int8_t"};
    case ElementType::kS16:
      return {"int16_t"};
    case ElementType::kS32:
      return {"int32_t"};
    case ElementType::kS64:
      return {"int64_t"};
    case ElementType::kU32:
      return {"uint32_t"};
    case ElementType::kU64:
      return {"uint64_t"};
    default:
      return {ElementBytes(type) == 2 ? "uint16_t" : "uint8_t"};
  }
}

std::string Upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string Shape(const ImageTensor& tensor) {
  std::string text = std::string(ElementTypeName(tensor.type)) + "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    text += (i ? "," : "") + std::to_string(tensor.dims[i]);
  text += "]";
  if (!llvm::is_sorted(tensor.minor_to_major, std::greater<>())) {
    text += ", minor to major:";
    for (int64_t dim : tensor.minor_to_major) text += " " + std::to_string(dim);
  }
  return text;
}

std::string Declare(const ImageTensor& tensor, const std::string& name, bool constant) {
  const CType type = CTypeOf(tensor.type);
  const int64_t count = std::accumulate(tensor.dims.begin(), tensor.dims.end(),
                                        int64_t{type.per_element}, std::multiplies<>());
  return std::string(constant ? "const " : "") + type.name + " " + name + "[" +
         std::to_string(count) + "]";
}

std::string ShortNumber(double value) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string number(text, end);
  return number.find_first_of(".e") == number.npos ? number + ".0" : number;
}

// The line of the list for a tensor.
std::string Listed(const ImageTensor& tensor, const std::string& name) {
  const bool is_empty = llvm::is_contained(tensor.dims, 0);
  return " *   " + name + ": " + Shape(tensor) +
         (is_empty ? ", empty: the function does not take it" : "");
}

std::string Arguments(const ObjectFile& object, const InterfaceNames& names) {
  const ExecutableInfo& info = object.image.info;
  std::string text = "/* Arguments and results of the program, in its order:\n";
  for (size_t i = 0; i < info.parameters.size(); ++i)
    text += Listed(info.parameters[i], names.parameters[i]) + "\n";
  for (size_t i = 0; i < info.results.size(); ++i) {
    text += Listed(info.results[i], names.results[i]);
    for (const ImageAlias& alias : info.aliases)
      if (alias.result == static_cast<int64_t>(i))
        text += ", in place of " + names.parameters[static_cast<size_t>(alias.parameter)];
    text += "\n";
  }
  return text + " */\n";
}

std::string Run(const ObjectFile& object, const InterfaceNames& names,
                const ObjectOptions& options) {
  const ExecutableInfo& info = object.image.info;
  const std::vector<RunArgument> arguments = RunArguments(info);
  if (arguments.size() > kMaxCArguments)
    return "/* Too many arguments for a function of their own. */\n";
  std::string text = "int " + options.name + "_run(";
  const std::string indent(text.size(), ' ');
  for (const RunArgument& argument : arguments) {
    const auto& tensor = argument.is_result ? info.results[argument.index]
                                            : info.parameters[argument.index];
    const auto& name = argument.is_result ? names.results[argument.index]
                                          : names.parameters[argument.index];
    text += Declare(tensor, name, !argument.is_result && argument.in_place < 0) + ",\n" +
            indent;
  }
  return text + "void *arena" + (options.callback ? ", const tenon_env *env" : "") +
         ");\n";
}

// Declares the functions that the user defines.
std::string CalledFunctions(const ObjectFile& object) {
  std::string text;
  for (const std::string& function : FfiFunctions(object.image.info))
    text += "int " + function + "(const tenon_env *env, const tenon_ffi_call *call,\n" +
            std::string(function.size() + 5, ' ') +
            "const void *const *args, void *const *results);\n";
  if (text.empty()) return text;
  return "/* Custom calls of the program: functions that you define. `env` is that of "
         "the\n"
         " * call, or NULL; a result may have the address of an argument. Predicates "
         "are\n"
         " * the bytes 0 and 1. A value other than 0 ends the call, which returns it. "
         "*/\n" +
         text + "\n";
}

}  // namespace

std::string WriteHeader(const ObjectFile& object, const InterfaceNames& names,
                        const ObjectOptions& options) {
  const CodeObject& code = object.image.code_objects[0];
  const std::string &name = options.name, prefix = Upper(name);
  const auto& costs = object.image.info.costs;
  const auto flops = costs.find("flops");
  std::string needs;
  for (const std::string& symbol : object.undefined)
    needs += (needs.empty() ? "" : ", ") + symbol;
  std::string text = "/* Written by tenon-compile. Code for " + code.target + ".\n" +
                     " * The object needs " + (needs.empty() ? "nothing" : needs) +
                     ". It keeps no state: calls may run on several threads at once,\n"
                     " * each with its own arena. */\n";
  text += "#ifndef " + prefix + "_H_\n#define " + prefix +
          "_H_\n\n#include <stddef.h>\n#include <stdint.h>\n\n" + kTypes +
          (object.image.info.ffi_calls.empty() ? "" : kCallTypes) +
          "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += "/* Scratch memory of one call, aligned to 64 bytes. */\n#define " + prefix +
          "_ARENA_BYTES " + std::to_string(code.arena_bytes) + "u\n";
  text += "/* The most stack that a call takes, in bytes" +
          std::string(needs.empty() ? "" : ", without that of the functions it needs") +
          ". */\n#define " + prefix + "_STACK_BYTES " +
          std::to_string(object.stack_bytes) + "u\n";
  text += "#define " + prefix + "_FLOPS " +
          ShortNumber(flops == costs.end() ? 0 : flops->second) + "\n\n";
  text += CalledFunctions(object) + Arguments(object, names);
  text +=
      "/* Runs the program. Results may not overlap each other or an argument; "
      "arguments\n * that are not in place may. Returns 0" +
      std::string(object.image.info.ffi_calls.empty()
                      ? ""
                      : ", or what a function of yours returned") +
      ". */\n" + Run(object, names, options);
  text +=
      "/* The same by tables, in the program's order. A result in place has its "
      "argument's\n * address. `env` may be NULL. */\nint " +
      name +
      "_call(const tenon_env *env, const void *const *args, "
      "void *const *results,\n         " +
      std::string(name.size(), ' ') + " void *arena);\n";
  text +=
      "/* 1 if this processor can run the code, 0 if not, -1 if it is not known. "
      "*/\nint " +
      name + "_supported(void);\nextern const tenon_model_info " + name + "_info;\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

}  // namespace tenon::compiler
