#include "tenon/executable/validate.h"

#include <string>

#include "tenon/executable/run_context.h"
#include "tenon/executable/unwind_info.h"
#include "tenon/executable/validate_collective.h"
#include "tenon/format/layout.h"

namespace tenon {
namespace {

Status ValidateTensor(const ImageTensor& tensor, const std::string& what) {
  if (tensor.type == ElementType::kInvalid) return DataLoss(what + " has no type");
  int64_t bytes = ElementBytes(tensor.type);
  for (int64_t dim : tensor.dims) {
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes)) {
      return DataLoss(what + " has a bad dimension " + std::to_string(dim));
    }
  }
  std::vector<bool> seen(tensor.dims.size());
  if (tensor.minor_to_major.size() != tensor.dims.size()) {
    return DataLoss(what + " has a layout of another rank");
  }
  for (int64_t dim : tensor.minor_to_major) {
    if (dim < 0 || dim >= static_cast<int64_t>(seen.size()) || seen[dim]) {
      return DataLoss(what + " has a layout that is not a permutation");
    }
    seen[dim] = true;
  }
  return OkStatus();
}

Status ValidateTensors(const std::vector<ImageTensor>& tensors, const std::string& what) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    TENON_RETURN_IF_ERROR(ValidateTensor(tensors[i], what + " " + std::to_string(i)));
  }
  return OkStatus();
}

bool InRange(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

Status ValidateHostCode(const CodeObject& code, size_t constants_size) {
  if (code.architecture.empty()) return DataLoss("the image has no architecture");
  if (code.entry_offset >= code.bytes.size()) {
    return DataLoss("the image's entry point is out of bounds");
  }
  if (code.imports_offset != format::ImportsOffset(code.bytes.size())) {
    return DataLoss("the image's import slots are not behind its code");
  }
  for (const ImageSymbol& symbol : code.symbols) {
    if (!InRange(symbol.offset, symbol.size, code.bytes.size())) {
      return DataLoss("the image's symbol '" + symbol.name + "' is out of bounds");
    }
  }
  if (!InRange(code.constants_offset, code.constants_size, constants_size) ||
      code.constants_offset % kConstantAlignment) {
    return DataLoss("the constants of the image's code are out of bounds");
  }
  return ValidateUnwindInfo(code);
}

Status ValidateCode(const CodeObject& code, size_t constants_size) {
  if (code.kind.empty()) return DataLoss("a code object of the image has no kind");
  // A device checks its own code objects when it loads them.
  if (!IsHostCode(code.kind)) return OkStatus();
  return ValidateHostCode(code, constants_size);
}

}  // namespace

Status ValidateImage(const Image& image) {
  const ExecutableInfo& info = image.info;
  if (info.num_replicas < 1 || info.num_partitions < 1) {
    return DataLoss("the image has fewer than one replica or partition");
  }
  TENON_RETURN_IF_ERROR(ValidateTensors(info.parameters, "parameter"));
  TENON_RETURN_IF_ERROR(ValidateTensors(info.results, "result"));
  std::vector<bool> result_seen(info.results.size());
  std::vector<bool> parameter_seen(info.parameters.size());
  for (const ImageAlias& alias : info.aliases) {
    if (alias.result < 0 || alias.result >= std::ssize(info.results) ||
        alias.parameter < 0 || alias.parameter >= std::ssize(info.parameters) ||
        result_seen[alias.result] || parameter_seen[alias.parameter] ||
        info.results[alias.result].ByteSize() !=
            info.parameters[alias.parameter].ByteSize()) {
      return DataLoss("the image has a bad alias of result " +
                      std::to_string(alias.result) + " and parameter " +
                      std::to_string(alias.parameter));
    }
    result_seen[alias.result] = parameter_seen[alias.parameter] = true;
  }
  for (const ImageFfiCall& call : info.ffi_calls) {
    TENON_RETURN_IF_ERROR(ValidateTensors(call.operands, "operand of " + call.target));
    TENON_RETURN_IF_ERROR(ValidateTensors(call.results, "result of " + call.target));
  }
  // So that numbers of devices fit any index.
  constexpr int64_t kMaxDevices = int64_t{1} << 20;
  if (info.num_replicas > kMaxDevices || info.num_partitions > kMaxDevices ||
      info.num_replicas * info.num_partitions > kMaxDevices) {
    return DataLoss("the image has more replicas and partitions than any machine");
  }
  for (const ImageCollective& collective : info.collectives) {
    TENON_RETURN_IF_ERROR(ValidateTensors(collective.operands, "collective operand"));
    TENON_RETURN_IF_ERROR(ValidateTensors(collective.results, "collective result"));
    TENON_RETURN_IF_ERROR(
        ValidateCollective(collective, info.num_replicas * info.num_partitions));
  }
  for (const ImageTensor& result : info.results) {
    if (result.shared_by < -1 || result.shared_by >= std::ssize(info.collectives)) {
      return DataLoss("the image has a result of collective " +
                      std::to_string(result.shared_by) + ", which does not exist");
    }
  }
  if (image.code_objects.empty()) return DataLoss("the image has no code");
  for (const CodeObject& code : image.code_objects) {
    TENON_RETURN_IF_ERROR(ValidateCode(code, image.constants.size()));
    if (!info.collectives.empty() && IsHostCode(code.kind) &&
        code.arena_bytes <
            kSegmentAddressesOffset + code.shared_segments.size() * sizeof(void*)) {
      return DataLoss("the arena of the image has no room for a run's state");
    }
    for (const ImagePackedOperand& packed : code.packed_operands) {
      constexpr uint64_t kMaxBytes = uint64_t{1} << 48;
      if (code.kind != kHostCode || packed.parameter < 0 ||
          packed.parameter >= std::ssize(info.parameters) || packed.bytes == 0 ||
          packed.bytes > kMaxBytes) {
        return DataLoss("the image has a packed form of " + std::to_string(packed.bytes) +
                        " bytes of parameter " + std::to_string(packed.parameter) +
                        " in code of kind " + code.kind);
      }
    }
    for (const SharedSegment& segment : code.shared_segments) {
      if (code.kind != kHostCode || segment.site < 0 ||
          segment.site >= std::ssize(info.collectives)) {
        return DataLoss("the image has a shared segment of collective " +
                        std::to_string(segment.site) + " in code of kind " + code.kind);
      }
    }
  }
  return OkStatus();
}

}  // namespace tenon
