#include "tenon/tools/program_file.h"

#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tenon/compiler/import/import.h"
#include "tenon/compiler/import/program_attributes.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/image.h"
#include "tenon/format/layout.h"
#include "tenon/reference/devices.h"
#include "tenon/reference/evaluate.h"

namespace tenon::tools {
namespace {

// A module and its context, which must outlive it.
struct ParsedProgram {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
};

StatusOr<ParsedProgram> Parse(std::string_view bytes) {
  ParsedProgram program;
  program.context =
      std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  TENON_ASSIGN_OR_RETURN(program.module,
                         compiler::ImportProgram(*program.context, bytes));
  TENON_RETURN_IF_ERROR(compiler::LegalizeChlo(*program.module));
  TENON_ASSIGN_OR_RETURN(program.entry, compiler::FindEntry(*program.module));
  return program;
}

StatusOr<std::vector<ParameterShape>> ReadParameters(mlir::func::FuncOp entry) {
  std::vector<ParameterShape> shapes;
  for (mlir::Type type : entry.getArgumentTypes()) {
    ParameterShape& shape = shapes.emplace_back();
    if (mlir::isa<stablehlo::TokenType>(type)) {
      return Unimplemented("argument " + std::to_string(shapes.size() - 1) +
                           " of the program is a token");
    }
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor) {
      return Unimplemented("argument " + std::to_string(shapes.size() - 1) +
                           " of the program is not a tensor");
    }
    shape.type = ir::ElementTypeOf(tensor.getElementType());
    if (shape.type == ElementType::kInvalid) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return Unimplemented("argument " + std::to_string(shapes.size() - 1) +
                           " of the program is a " + text);
    }
    for (int64_t size : tensor.getShape()) {
      shape.dims.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    }
  }
  return shapes;
}

bool IsCheck(mlir::Operation* op) {
  auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName().starts_with("check.") &&
         call->getNumOperands() > 0;
}

std::vector<mlir::Operation*> ChecksOf(mlir::func::FuncOp main) {
  std::vector<mlir::Operation*> checks;
  for (mlir::Operation& op : main.front()) {
    if (IsCheck(&op)) checks.push_back(&op);
  }
  return checks;
}

void SetTypeFromBody(mlir::func::FuncOp function) {
  mlir::Block& body = function.front();
  function.setFunctionType(
      mlir::FunctionType::get(function.getContext(), body.getArgumentTypes(),
                              body.getTerminator()->getOperandTypes()));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
}

// Replaces calls without arguments, which create the program's inputs, by parameters, and
// returns their values. So the plugin cannot fold the whole program at compile time.
// Calls whose results are only expected values are left alone.
StatusOr<std::vector<Literal>> ExtractInputs(ParsedProgram& program) {
  std::vector<Literal> arguments;
  mlir::Block& body = program.entry.front();
  for (mlir::Operation& op : llvm::make_early_inc_range(body)) {
    auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
    if (!call || call->getNumOperands() > 0) continue;
    if (!call->use_empty()) {
      auto callee = program.module->lookupSymbol<mlir::func::FuncOp>(call.getCallee());
      TENON_ASSIGN_OR_RETURN(std::vector<Literal> values,
                             reference::Evaluate(callee, {}));
      for (auto [result, value] : llvm::zip_equal(call.getResults(), values)) {
        if (result.use_empty()) continue;
        result.replaceAllUsesWith(body.addArgument(result.getType(), call.getLoc()));
        // Copy, because the value may refer to the module, which is destroyed before the
        // run.
        arguments.push_back(Literal::Copy(value.type(), value.dims(), value.data()));
      }
    }
    call.erase();
  }
  return arguments;
}

// Removes the checks from main, and returns their operands from it.
void ReturnCheckedValues(mlir::func::FuncOp main) {
  const std::vector<mlir::Operation*> checks = ChecksOf(main);
  std::vector<mlir::Value> checked;
  for (mlir::Operation* check : checks) checked.push_back(check->getOperand(0));
  // First, because main may return what a check returns.
  main.front().getTerminator()->setOperands(checked);
  for (mlir::Operation* check : checks) check->erase();
}

// Makes the checked values parameters of main, and removes everything but the checks.
void KeepOnlyChecks(mlir::func::FuncOp main) {
  mlir::Block& body = main.front();
  for (mlir::Operation* check : ChecksOf(main)) {
    check->setOperand(0,
                      body.addArgument(check->getOperand(0).getType(), check->getLoc()));
  }
  body.getTerminator()->setOperands({});
  // Erase the ops that only computed the checked values, users before definitions.
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(body))) {
    if (!IsCheck(&op) && !op.hasTrait<mlir::OpTrait::IsTerminator>() && op.use_empty()) {
      op.erase();
    }
  }
}

Status Rewritten(mlir::func::FuncOp function) {
  SetTypeFromBody(function);
  return mlir::succeeded(mlir::verify(function))
             ? OkStatus()
             : Internal("the program of a test does not verify without its checks");
}

void SetEvaluators(ProgramFile& file, ParsedProgram program) {
  auto shared = std::make_shared<ParsedProgram>(std::move(program));
  file.evaluate = [shared](std::span<const Literal> arguments, bool keep_denormals) {
    return reference::Evaluate(shared->entry, arguments,
                               {.flush_denormals = !keep_denormals});
  };
  file.evaluate_on_devices = [shared](int64_t replicas, int64_t partitions,
                                      std::span<const std::vector<Literal>> arguments,
                                      bool keep_denormals) {
    return reference::EvaluateOnDevices(shared->entry, {replicas, partitions}, arguments,
                                        {.flush_denormals = !keep_denormals});
  };
}

StatusOr<ProgramFile> OpenTest(std::string_view bytes, double sum_tolerance) {
  ProgramFile file;
  TENON_ASSIGN_OR_RETURN(ParsedProgram program, Parse(bytes));
  if (program.entry.getNumArguments() > 0 || ChecksOf(program.entry).empty()) {
    return InvalidArgument(
        "--check wants a program without arguments whose main has custom calls "
        "@check.*");
  }
  ReturnCheckedValues(program.entry);
  TENON_ASSIGN_OR_RETURN(file.arguments, ExtractInputs(program));
  TENON_RETURN_IF_ERROR(Rewritten(program.entry));
  TENON_ASSIGN_OR_RETURN(file.parameters, ReadParameters(program.entry));
  llvm::raw_string_ostream(file.bytes) << *program.module;
  SetEvaluators(file, std::move(program));

  auto checker = std::make_shared<ParsedProgram>();
  TENON_ASSIGN_OR_RETURN(*checker, Parse(bytes));
  KeepOnlyChecks(checker->entry);
  TENON_RETURN_IF_ERROR(Rewritten(checker->entry));
  reference::EvaluateOptions options;
  options.check_norm_epsilons = sum_tolerance;
  file.check = [checker, options](std::span<const Literal> results) {
    return reference::Evaluate(checker->entry, results, options).status();
  };
  return file;
}

// The name of the first module in `text`, empty if it has none.
std::string ModuleName(llvm::StringRef text) {
  constexpr llvm::StringLiteral kNamed = "module @";
  size_t found = text.find(kNamed);
  if (found == llvm::StringRef::npos) return "";
  return text.drop_front(found + kNamed.size())
      .take_until([](char c) {
        return c != '_' && c != '.' && !std::isalnum(static_cast<unsigned char>(c));
      })
      .str();
}

}  // namespace

std::vector<TestCase> SplitTestCases(const std::string& bytes) {
  constexpr llvm::StringLiteral kSeparator = "\n// -----\n";
  std::vector<TestCase> cases;
  llvm::StringRef rest = bytes;
  size_t line = 1;
  do {
    auto [text, after] = rest.split(kSeparator);
    std::string name = ModuleName(text);
    if (name.empty()) name = "line " + std::to_string(line);
    cases.push_back({std::move(name), text.str()});
    line += text.count('\n') + 2;
    rest = after;
  } while (!rest.empty());
  return cases;
}

StatusOr<std::string> ReadFileBytes(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (!stream.is_open() || stream.bad()) {
    return NotFound("cannot read '" + path + "'");
  }
  return bytes;
}

StatusOr<ProgramFile> OpenProgram(std::string bytes, bool check, double sum_tolerance) {
  constexpr std::string_view kImageMagic(format::kMagic, sizeof format::kMagic);
  if (check) return OpenTest(bytes, sum_tolerance);
  ProgramFile file;
  if (bytes.starts_with(kImageMagic)) {
    file.serialized = true;
    // This only reads the parameters. The plugin decides whether the image can run.
    if (auto image = Image::Deserialize(bytes); image.ok()) {
      file.parameters.emplace();
      for (const ImageTensor& tensor : image->info.parameters) {
        file.parameters->push_back({tensor.type, tensor.dims});
      }
    }
  } else {
    TENON_ASSIGN_OR_RETURN(ParsedProgram program, Parse(bytes));
    TENON_ASSIGN_OR_RETURN(file.parameters, ReadParameters(program.entry));
    SetEvaluators(file, std::move(program));
  }
  file.bytes = std::move(bytes);
  return file;
}

}  // namespace tenon::tools
