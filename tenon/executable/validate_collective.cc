#include "tenon/executable/validate_collective.h"

#include <algorithm>
#include <string>

namespace tenon {
namespace {

Status Bad(const ImageCollective& collective, const std::string& what) {
  return DataLoss("an " + std::string(CollectiveName(collective.kind)) +
                  " of the image has " + what);
}

// Sets `*size` to the number of members that all groups have, or to 0 if they differ.
Status ValidateGroups(const ImageCollective& collective, int64_t num_devices,
                      int64_t* size) {
  const bool permutes = collective.kind == CollectiveKind::kPermute;
  std::vector<bool> seen(static_cast<size_t>(num_devices)), seen_source = seen;
  int64_t listed = 0;
  *size = collective.groups.empty() ? 0 : std::ssize(collective.groups[0]);
  for (const std::vector<int64_t>& group : collective.groups) {
    if (permutes && group.size() != 2) return Bad(collective, "a pair of another size");
    if (std::ssize(group) != *size) *size = 0;
    listed += std::ssize(group);
    for (size_t i = 0; i < group.size(); ++i) {
      std::vector<bool>& taken = permutes && i == 0 ? seen_source : seen;
      if (group[i] < 0 || group[i] >= num_devices ||
          taken[static_cast<size_t>(group[i])]) {
        return Bad(collective, "a bad member " + std::to_string(group[i]));
      }
      taken[static_cast<size_t>(group[i])] = true;
    }
  }
  if (!permutes && collective.kind != CollectiveKind::kBroadcast &&
      listed != num_devices) {
    return Bad(collective, "groups without some devices");
  }
  return OkStatus();
}

// Whether `result` is `operand` with dimension `larger` multiplied and dimension
// `smaller` divided by `count`. -1: no dimension.
bool Fits(const ImageTensor& operand, const ImageTensor& result, int64_t larger,
          int64_t smaller, int64_t count) {
  if (operand.type != result.type || operand.dims.size() != result.dims.size()) {
    return false;
  }
  const auto rank = std::ssize(operand.dims);
  if (larger >= rank || smaller >= rank || larger < -1 || smaller < -1) return false;
  if ((larger >= 0 || smaller >= 0) && count < 1) return false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t expected = operand.dims[static_cast<size_t>(d)];
    if (d == smaller) {
      if (expected % count) return false;
      expected /= count;
    }
    if (d == larger && __builtin_mul_overflow(expected, count, &expected)) return false;
    if (result.dims[static_cast<size_t>(d)] != expected) return false;
  }
  return true;
}

}  // namespace

std::string RaggedFault(const ImageCollective& site) {
  if (site.operands.size() != 6 || site.results.size() != 1) {
    return "another number of operands or results than six and one";
  }
  const ImageTensor &operand = site.operands[0], &output = site.operands[1];
  const ImageTensor& result = site.results[0];
  if (operand.dims.empty() || operand.dims.size() != output.dims.size() ||
      !std::equal(operand.dims.begin() + 1, operand.dims.end(),
                  output.dims.begin() + 1) ||
      operand.type != output.type || result.type != output.type ||
      result.dims != output.dims) {
    return "rows of several shapes or types";
  }
  for (size_t o = 2; o < site.operands.size(); ++o) {
    const ImageTensor& numbers = site.operands[o];
    if (numbers.type < ElementType::kS8 || numbers.type > ElementType::kU64 ||
        numbers.dims.size() != 1 || numbers.dims != site.operands[2].dims) {
      return "offsets and sizes that are not lists of integers of one length";
    }
  }
  for (const std::vector<int64_t>& group : site.groups) {
    if (group.empty() || site.operands[2].dims[0] % std::ssize(group)) {
      return "a number of offsets that is no multiple of the size of its groups";
    }
  }
  return "";
}

Status ValidateCollective(const ImageCollective& collective, int64_t num_devices) {
  int64_t count = 0;
  TENON_RETURN_IF_ERROR(ValidateGroups(collective, num_devices, &count));
  if (collective.dimension < 0 || collective.concat_dimension < 0) {
    return Bad(collective, "a negative dimension");
  }
  if (collective.kind == CollectiveKind::kRaggedAllToAll) {
    const std::string fault = RaggedFault(collective);
    return fault.empty() ? OkStatus() : Bad(collective, fault);
  }
  if (HasRoots(collective)) {
    const ImageTensor& roots = collective.operands.back();
    if (roots.type != ElementType::kS32 ||
        roots.dims != std::vector{std::ssize(collective.results)}) {
      return Bad(collective, "roots that are not one s32 per result");
    }
  } else if (collective.operands.size() != collective.results.size()) {
    return Bad(collective, "another number of results than of operands");
  }
  int64_t larger = -1, smaller = -1, elements = 0;
  if (collective.kind == CollectiveKind::kAllGather) larger = collective.dimension;
  if (collective.kind == CollectiveKind::kReduceScatter) smaller = collective.dimension;
  if (collective.kind == CollectiveKind::kAllToAll) {
    smaller = collective.dimension;
    larger = collective.concat_dimension;
  }
  for (size_t i = 0; i < collective.results.size(); ++i) {
    const ImageTensor& operand = collective.operands[i];
    if (!Fits(operand, collective.results[i], larger, smaller, count)) {
      return Bad(collective, "a result of another shape than its operand gives");
    }
    if (ElementBytes(operand.type) > 0) {
      elements = std::max(elements, operand.ByteSize() / ElementBytes(operand.type));
    }
  }
  const bool reduces = collective.kind == CollectiveKind::kAllReduce ||
                       collective.kind == CollectiveKind::kReduceScatter;
  if (reduces && elements > 0 &&
      (collective.tile_elements < 1 || collective.tile_elements > elements)) {
    return Bad(collective,
               "tiles of " + std::to_string(collective.tile_elements) + " elements");
  }
  return OkStatus();
}

}  // namespace tenon
