#include "tenon/compiler/compile.h"

#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "llvm/TargetParser/Triple.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "tenon/compiler/analysis/batched_lapack.h"
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/buffer_assignment/program_builder.h"
#include "tenon/compiler/cache/code_cache.h"
#include "tenon/compiler/extension/extension.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/compiler/import/compile_options.h"
#include "tenon/compiler/import/import.h"
#include "tenon/compiler/import/program_attributes.h"
#include "tenon/compiler/import/strip_sharding.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/compiler/partition/import_gspmd.h"
#include "tenon/compiler/partition/import_sharding_text.h"
#include "tenon/compiler/partition/localize.h"
#include "tenon/compiler/partition/op_sharding.h"
#include "tenon/compiler/partition/sharding_report.h"
#include "tenon/compiler/pipeline/block_factorizations.h"
#include "tenon/compiler/pipeline/boundary_layouts.h"
#include "tenon/compiler/pipeline/cache_keys.h"
#include "tenon/compiler/pipeline/call_layouts.h"
#include "tenon/compiler/pipeline/code_emitter.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/constant_section.h"
#include "tenon/compiler/pipeline/context_pool.h"
#include "tenon/compiler/pipeline/describe.h"
#include "tenon/compiler/pipeline/expand_long_ffts.h"
#include "tenon/compiler/pipeline/generate_code.h"
#include "tenon/compiler/pipeline/generate_device_code.h"
#include "tenon/compiler/pipeline/merge_images.h"
#include "tenon/compiler/pipeline/program_text.h"
#include "tenon/compiler/pipeline/written_files.h"
#include "tenon/compiler/simplify/simplify.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/target.h"
#include "tenon/compiler/targets/target_name.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/program_text.h"

namespace tenon::compiler {
namespace {

// Reports the IR after each phase, and the phase's time, to the observers in the
// configuration.
class PhaseLog {
 public:
  explicit PhaseLog(const CompilerConfig& config) : config_(config) {}

  bool enabled() const { return !config_.dump_dir.empty() || config_.on_phase; }
  void Finish(std::string_view phase, mlir::ModuleOp module) {
    if (!enabled()) return;
    std::string text;
    llvm::raw_string_ostream os(text);
    mlir::OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(64);
    module.print(os, flags);
    FinishText(phase, text);
  }
  void FinishText(std::string_view phase, std::string_view text);
  // Reports the time since the last call, or since construction.
  void Time(std::string_view phase);

 private:
  using Clock = std::chrono::steady_clock;
  const CompilerConfig& config_;
  int number_ = 0;
  Clock::time_point start_ = Clock::now();
};

void PhaseLog::Time(std::string_view phase) {
  if (!config_.on_time) return;
  Clock::time_point now = Clock::now();
  config_.on_time(phase, std::chrono::duration<double, std::milli>(now - start_).count());
  start_ = now;
}

void PhaseLog::FinishText(std::string_view phase, std::string_view text) {
  if (config_.on_phase) config_.on_phase(phase, text);
  if (config_.dump_dir.empty()) return;
  std::string number = std::to_string(number_++);
  std::string name = config_.dump_dir + "/" + (number.size() < 2 ? "0" : "") + number +
                     "." + std::string(phase);
  std::error_code error;
  llvm::raw_fd_ostream file(name, error);
  if (!error) file << text;
}

// A device has more groups at a time than a processor has threads. The items of a group
// share a row; each has a column of its own, and goes through it from end to end.
ReductionOptions ReductionsFor(const TargetTraits& traits) {
  if (!traits.device) return {};
  return {.min_elements = 1 << 14,
          .min_column = 128,
          .min_part = 1 << 11,
          .min_column_part = 16,
          .max_units = 1024,
          .max_part_bytes = 0,
          .unit_columns = traits.device->max_group_items,
          .widen_extrema = false};
}

StatusOr<TargetDescription> Describe(const TargetName& name,
                                     const CompilerConfig& config) {
  TENON_ASSIGN_OR_RETURN(const bool is_device, RunsOnDevice(name.architecture));
  if (is_device) return DescribeTarget(name.architecture, name.cpu, "");
  TENON_ASSIGN_OR_RETURN(TargetDescription target,
                         DescribeTarget(name.architecture, name.cpu, config.features));
  if (name.cpu != "host" || config.offered.empty()) return target;
  std::string features = config.features;
  for (const std::string& feature : target.RequiredFeatures())
    if (!config.offered.contains(feature))
      features += (features.empty() ? "-" : ",-") + feature;
  if (features == config.features) return target;
  return DescribeTarget(name.architecture, name.cpu, features);
}

StatusOr<std::vector<TargetDescription>> DescribeTargetsOf(const CompilerConfig& config) {
  TENON_ASSIGN_OR_RETURN(const std::vector<TargetName> names,
                         ParseTargetNames(config.target));
  std::vector<TargetDescription> targets;
  for (const TargetName& name : names) {
    TENON_ASSIGN_OR_RETURN(targets.emplace_back(), Describe(name, config));
    if (!targets.back().has_images && !config.emitter)
      return InvalidArgument("code for " + name.architecture +
                             " is only written as an object file (--emit=object)");
  }
  return targets;
}

// Reads the program of one device that the framework returns for a call.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ReadPartition(mlir::MLIRContext& context,
                                                          std::string_view code) {
  TENON_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module,
                         ImportUnversionedProgram(context, code));
  TENON_RETURN_IF_ERROR(LegalizeChlo(*module, /*keep_top_k=*/true));
  return module;
}

// Adds the shardings of the boundary to the module, where jaxlibs without the Shardings
// extension find them. They are left out if one has no text.
void AddShardingAttributes(mlir::ModuleOp module,
                           const partition::BoundaryShardings& shardings) {
  mlir::Builder b(module.getContext());
  auto texts = [&](const std::vector<std::string>& encoded) {
    llvm::SmallVector<mlir::Attribute> texts;
    for (const std::string& bytes : encoded) {
      StatusOr<std::string> text = partition::OpShardingText(bytes);
      if (!text.ok()) return mlir::ArrayAttr();
      texts.push_back(b.getStringAttr(*text));
    }
    return b.getArrayAttr(texts);
  };
  mlir::ArrayAttr parameters = texts(shardings.parameters),
                  results = texts(shardings.results);
  if (parameters && !parameters.empty())
    module->setAttr("mhlo.spmd_parameters_shardings", parameters);
  if (!results || results.empty()) return;
  std::string all;
  for (mlir::Attribute text : results) {
    all += (all.empty() ? "" : ",") + llvm::cast<mlir::StringAttr>(text).str();
  }
  module->setAttr("mhlo.spmd_output_sharding",
                  b.getStringAttr(results.size() == 1 ? all : "{" + all + "}"));
}

// Compiles a program for one target, on the calling thread.
class Compilation {
 public:
  Compilation(const CompileRequest& request, const ImageOptions& options,
              const CompilerConfig& config, TargetDescription target);
  StatusOr<Image> Run();

 private:
  // Runs the extensions' passes of the phase, and logs the phase.
  Status Finish(Phase phase, const std::string& name, mlir::ModuleOp module);
  StatusOr<mlir::func::FuncOp> Legalize(mlir::ModuleOp module,
                                        ProgramAttributes& attributes);
  Status Partition(mlir::ModuleOp module, mlir::func::FuncOp entry);
  Status WriteReport(const partition::ShardingReport& report);
  // Sets the FFI calls of the image.
  StatusOr<BuiltProgram> FuseAndBuild(mlir::ModuleOp module, mlir::func::FuncOp entry,
                                      Image& image);
  // Sets the constants of the image, and the optimized program that refers to them.
  Status AddConstants(const ProgramText& text, mlir::ModuleOp module, Image& image);
  Status AddCode(const BuiltProgram& program, mlir::ModuleOp module, Image& image);

  const CompileRequest& request_;
  const ImageOptions& options_;
  const CompilerConfig& config_;
  TargetDescription target_;
  PhaseLog log_;
  stablehlo::ProcessGrid grid_;             // the devices that run the program
  partition::BoundaryShardings shardings_;  // if there are several
};

Compilation::Compilation(const CompileRequest& request, const ImageOptions& options,
                         const CompilerConfig& config, TargetDescription target)
    : request_(request),
      options_(options),
      config_(config),
      target_(std::move(target)),
      log_(config) {
  if (config.emitter) target_.traits.shared_tiles = false;  // objects are small
  if (config.ieee_denormals) {
    // Instructions that multiply pairs of bf16 always flush denormals.
    target_.traits.bf16_pairs = {};
    target_.traits.matrix_unit.bf16_pairs = nullptr;
  }
}

Status Compilation::Finish(Phase phase, const std::string& name, mlir::ModuleOp module) {
  TENON_RETURN_IF_ERROR(RunPasses(config_.extensions, phase, module));
  log_.Finish(name + ".mlir", module);
  log_.Time(name);
  return OkStatus();
}

Status Compilation::Partition(mlir::ModuleOp module, mlir::func::FuncOp entry) {
  const partition::Framework framework = {config_.call_partitioner, ReadPartition};
  partition::ShardingReport report;
  const bool explains = !options_.explain_sharding.empty();
  TENON_ASSIGN_OR_RETURN(shardings_,
                         partition::LocalizeProgram(module, entry, grid_, framework,
                                                    explains ? &report : nullptr));
  return explains ? WriteReport(report) : OkStatus();
}

Status Compilation::WriteReport(const partition::ShardingReport& report) {
  const std::string& path = options_.explain_sharding;
  const std::string text = partition::Render(report, config_.explain_format, path);
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return OkStatus();
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return OkStatus();
  return InvalidArgument("cannot write the sharding report to '" + path + "'");
}

StatusOr<mlir::func::FuncOp> Compilation::Legalize(mlir::ModuleOp module,
                                                   ProgramAttributes& attributes) {
  const DeviceCounts devices =
      CountDevices(module, options_.num_replicas, options_.num_partitions);
  grid_ = {devices.replicas, devices.partitions};
  const bool on_one_device = grid_.size() == 1;
  TENON_RETURN_IF_ERROR(LegalizeChlo(module, /*keep_top_k=*/!on_one_device));
  TENON_ASSIGN_OR_RETURN(attributes, ReadProgramAttributes(module));
  attributes.num_replicas = devices.replicas;
  attributes.num_partitions = devices.partitions;
  TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp entry, FindEntry(module));
  InlineAsyncOps(module);
  if (!on_one_device) {
    TENON_RETURN_IF_ERROR(partition::ImportShardingText(module));
    // GSPMD's annotations are around calls.
    if (partition::HasGspmdShardings(module))
      TENON_RETURN_IF_ERROR(partition::ImportGspmd(module));
    TENON_RETURN_IF_ERROR(InlineCalls(module, entry));
    RecordLapackBatches(module);
    TENON_RETURN_IF_ERROR(Partition(module, entry));
    TENON_RETURN_IF_ERROR(LegalizeChlo(module));
  } else if (!options_.explain_sharding.empty()) {
    TENON_RETURN_IF_ERROR(WriteReport({}));
  }
  TENON_RETURN_IF_ERROR(StripSharding(module, devices));
  if (!on_one_device) {
    log_.Finish("partition.mlir", module);
    log_.Time("partition");
  }
  TENON_RETURN_IF_ERROR(RefuseUnsupportedTypes(entry));
  TENON_RETURN_IF_ERROR(InlineCalls(module, entry));
  if (const DeviceTarget* device = target_.traits.device)
    SetRoundable(entry, config_.tf32 && device->matrix);
  ReadLayoutConstraints(entry, attributes);
  TENON_RETURN_IF_ERROR(LegalizeOps(entry, grid_, ReductionsFor(target_.traits)));
  TENON_RETURN_IF_ERROR(Finish(Phase::kLegalize, "legalize", module));
  return entry;
}

StatusOr<BuiltProgram> Compilation::FuseAndBuild(mlir::ModuleOp module,
                                                 mlir::func::FuncOp entry, Image& image) {
  TENON_RETURN_IF_ERROR(FuseFunction(
      entry, {.target = target_.traits, .excess_precision = options_.excess_precision}));
  OfferFusions(config_.extensions, module);
  TENON_RETURN_IF_ERROR(Finish(Phase::kFuse, "fuse", module));
  ProgramOptions program_options;
  program_options.target = target_.traits;
  program_options.result_aliases.assign(image.info.results.size(), -1);
  for (const ImageAlias& alias : image.info.aliases)
    program_options.result_aliases[alias.result] = alias.parameter;
  program_options.grid = grid_;
  // Emitters of extensions and devices keep all temporaries in the arena.
  program_options.share = !config_.emitter && !target_.traits.device;
  program_options.keep_packed = program_options.share;
  TENON_ASSIGN_OR_RETURN(BuiltProgram program,
                         BuildProgram(module, entry, program_options));
  log_.Finish("program.mlir", module);
  log_.Time("program");
  image.info.ffi_calls = std::move(program.ffi_calls);
  image.info.collectives = std::move(program.collectives);
  for (size_t r = 0; r < image.info.results.size(); ++r)
    image.info.results[r].shared_by = program.shared_results[r];
  return program;
}

Status Compilation::AddConstants(const ProgramText& text, mlir::ModuleOp module,
                                 Image& image) {
  TENON_ASSIGN_OR_RETURN(image.constants, BuildConstantSection(module));
  TENON_ASSIGN_OR_RETURN(image.info.optimized_program, PlaceConstants(text, module));
  if (log_.enabled()) {
    TENON_ASSIGN_OR_RETURN(
        const std::string optimized,
        WriteStoredConstants(image.info.optimized_program, image.constants.bytes()));
    log_.FinishText("optimized.mlir", optimized);
  }
  log_.Time("constants");
  return OkStatus();
}

Status Compilation::AddCode(const BuiltProgram& program, mlir::ModuleOp module,
                            Image& image) {
  CodeOptions code_options;
  code_options.target = target_;
  code_options.ieee_denormals = config_.ieee_denormals;
  code_options.excess_precision = options_.excess_precision;
  code_options.optimization_level = config_.optimization_level;
  code_options.num_threads = config_.num_threads;
  code_options.tiles = config_.tiles;
  code_options.on_shared_code = config_.on_shared_code;
  if (config_.cache_code) code_options.cache = &CodeCache::Of(config_.cache_folder);
  if (log_.enabled()) {
    code_options.on_text = [&](std::string_view phase, std::string_view text) {
      log_.FinishText(phase, text);
    };
  }
  ir::ProgramOp program_op = program.program;
  CodeObject code;
  std::optional<CodeObject> device_code;
  if (config_.emitter) {
    TENON_ASSIGN_OR_RETURN(
        code, config_.emitter->Emit(module, program_op, image, code_options));
  } else if (target_.traits.device) {
    TENON_ASSIGN_OR_RETURN(const TargetDescription host,
                           Describe({"host", "host"}, config_));
    TENON_ASSIGN_OR_RETURN(DeviceCodeObjects objects,
                           GenerateDeviceCode(module, program_op, code_options, host));
    code = std::move(objects.launcher);
    device_code = std::move(objects.device);
  } else {
    TENON_ASSIGN_OR_RETURN(code, GenerateCode(module, program_op, code_options));
  }
  code.kernels = DescribeKernels(module);
  code.packed_operands = program.packed_operands;
  code.constants_size = image.constants.size();
  code.arena_bytes = program_op.getArenaBytes();
  for (auto [site, bytes] :
       llvm::zip_equal(program_op.getSharedSites(), program_op.getSharedBytes()))
    code.shared_segments.push_back({site, static_cast<uint64_t>(bytes)});
  code.estimated_nanoseconds = program.estimated_ns;
  image.code_objects.push_back(std::move(code));
  if (device_code) image.code_objects.push_back(*std::move(device_code));
  image.constants.Seal();
  log_.Time("code");
  return OkStatus();
}

StatusOr<Image> Compilation::Run() {
  PooledContext context(request_.code);
  log_.Time("set-up");

  LeakedOnException<mlir::OwningOpRef<mlir::ModuleOp>> owner;
  TENON_ASSIGN_OR_RETURN(*owner, ImportProgram(*context, request_.code));
  mlir::ModuleOp module = owner->get();
  TENON_RETURN_IF_ERROR(Finish(Phase::kImport, "import", module));
  ProgramAttributes attributes;
  TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp entry, Legalize(module, attributes));
  const Costs costs = CountCosts(entry);  // of the program before it is simplified
  TENON_RETURN_IF_ERROR(Simplify(entry, {.fold_constants = config_.fold_constants,
                                         .ieee_denormals = config_.ieee_denormals}));
  TENON_RETURN_IF_ERROR(Finish(Phase::kSimplify, "simplify", module));

  Image image;
  TENON_RETURN_IF_ERROR(DescribeProgram(entry, attributes, costs, image.info));
  for (auto [parameter, sharding] :
       llvm::zip(image.info.parameters, shardings_.parameters))
    parameter.sharding = sharding;
  for (auto [result, sharding] : llvm::zip(image.info.results, shardings_.results))
    result.sharding = sharding;
  image.info.compile_options = request_.options;
  image.info.ieee_denormals = config_.ieee_denormals;
  AddShardingAttributes(module, shardings_);
  const ProgramText text = WriteProgram(module);
  std::string shared = grid_.size() > 1 ? SharedFingerprint(text, module) : "";
  ApplyBoundaryLayouts(entry, image.info);
  ApplyCallLayouts(entry);
  log_.Time("describe");
  if (target_.traits.device) {
    BlockFactorizations(entry);
    ExpandLongFfts(entry, target_.traits);
  }

  TENON_ASSIGN_OR_RETURN(const BuiltProgram program, FuseAndBuild(module, entry, image));
  TENON_RETURN_IF_ERROR(AddConstants(text, module, image));
  TENON_RETURN_IF_ERROR(AddCode(program, module, image));
  // The processes of a job compile a program of several devices for their own machines,
  // with options that name the process, and expect the same fingerprint.
  image.info.fingerprint = grid_.size() > 1 ? std::move(shared) : Fingerprint(image);
  log_.Time("fingerprint");
  // Extensions may have changed the context.
  if (grid_.size() == 1 && config_.extensions.empty() && !config_.emitter) context.Keep();
  return image;
}

StatusOr<Image> CompileOnThread(const CompileRequest& request,
                                const ImageOptions& options, const CompilerConfig& config,
                                const TargetDescription& target) {
  std::optional<StatusOr<Image>> result;
  CompileThread thread([&] {
    result = Compilation(request, options, config, target).Run();
    return OkStatus();
  });
  if (!thread.Start())
    return ResourceExhausted(
        "cannot start a compile thread: the system has no thread or memory left");
  TENON_RETURN_IF_ERROR(thread.Join());
  return *std::move(result);
}

// Programs above this size contain large constants. Hashing them, and keeping them twice,
// would cost more than a cache hit is likely to save.
constexpr size_t kMaxCachedProgramBytes = size_t{4} << 20;

StatusOr<Image> CompileOrFind(const CompileRequest& request, const ImageOptions& options,
                              const CompilerConfig& config,
                              const TargetDescription& target) {
  std::optional<Image> compiled;
  auto compile = [&]() -> StatusOr<std::string> {
    TENON_ASSIGN_OR_RETURN(compiled, CompileOnThread(request, options, config, target));
    return compiled->Serialize();
  };
  const std::string key = ProgramKey(request.code, options, config, target);
  TENON_ASSIGN_OR_RETURN(CodeCache::Value bytes,
                         CodeCache::Of(config.cache_folder).Get(key, compile));
  if (compiled) return *std::move(compiled);
  StatusOr<Image> image = Image::Deserialize(*bytes);
  if (!image.ok()) return CompileOnThread(request, options, config, target);
  image->info.compile_options = request.options;
  return image;
}

// Registers the passes for an architecture and an optimization level, once per process.
// LLVM holds a lock meanwhile. LLVM is built without exceptions, so the lock stays held
// if an allocation fails, and any later compilation would wait forever. Therefore such a
// failure is remembered and returned to all later compilations.
Status PrepareFor(const TargetDescription& target, int optimization_level) {
  using Key = std::pair<std::string, int>;
  static auto* mutex = new std::mutex;
  static auto* prepared = new std::set<Key>;
  static bool ran_out = false;
  const Key key(llvm::Triple(target.triple).getArchName().str(), optimization_level);
  std::lock_guard lock(*mutex);
  if (!ran_out) {
    if (prepared->contains(key)) return OkStatus();
    const Status status =
        RunProtected([&] { return RegisterPasses(target, optimization_level); });
    ran_out = status.code() == StatusCode::kResourceExhausted;
    if (!ran_out) {
      TENON_RETURN_IF_ERROR(status);
      prepared->insert(key);
      return OkStatus();
    }
  }
  return ResourceExhausted(
      "memory ran out when the compiler started; compile in a new process");
}

StatusOr<Image> CompileFor(const TargetDescription& target, const CompileRequest& request,
                           const ImageOptions& options, const CompilerConfig& config) {
  TENON_RETURN_IF_ERROR(PrepareFor(target, config.optimization_level));
  const bool watched = !config.dump_dir.empty() || config.on_phase || config.on_time;
  // Each compilation of these calls the framework.
  const bool calls_framework =
      request.code.find("InspectSharding") != std::string_view::npos ||
      request.code.find("CustomSPMDPartitioning") != std::string_view::npos;
  const bool use_cache = config.cache_code && !config.emitter && !config.tiles &&
                         !watched && !calls_framework &&
                         options.explain_sharding.empty() &&
                         request.code.size() <= kMaxCachedProgramBytes;
  return use_cache ? CompileOrFind(request, options, config, target)
                   : CompileOnThread(request, options, config, target);
}

}  // namespace

Status CheckConfig(const CompilerConfig& config) {
  return DescribeTargetsOf(config).status();
}

CacheCounts CountCached(const CompilerConfig& config) {
  if (!config.cache_code) return {};
  const CodeCache::Counts counts = CodeCache::Of(config.cache_folder).counts();
  return {counts.generated, counts.from_memory, counts.from_disk};
}

StatusOr<Image> Compile(const CompileRequest& request, const CompilerConfig& config) {
  Image image;
  TENON_RETURN_IF_ERROR(RunProtected([&]() -> Status {
    TENON_ASSIGN_OR_RETURN(const ImageOptions options, ReadOptions(request, config));
    TENON_ASSIGN_OR_RETURN(const std::vector<TargetDescription> targets,
                           DescribeTargetsOf(config));
    TENON_ASSIGN_OR_RETURN(image, CompileFor(targets[0], request, options, config));
    if (targets.size() == 1) return WriteFiles(image, request, options);
    CompilerConfig unwatched = config;
    unwatched.dump_dir.clear();
    unwatched.on_phase = nullptr;
    for (const TargetDescription& target : std::span(targets).subspan(1)) {
      TENON_ASSIGN_OR_RETURN(Image other,
                             CompileFor(target, request, options, unwatched));
      AddCode(std::move(other), image);
    }
    if (image.info.num_replicas * image.info.num_partitions == 1)
      image.info.fingerprint = Fingerprint(image);
    return WriteFiles(image, request, options);
  }));
  return image;
}

}  // namespace tenon::compiler
