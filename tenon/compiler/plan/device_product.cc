#include "tenon/compiler/plan/device_product.h"

#include <algorithm>

#include "tenon/base/integer_division.h"

namespace tenon::compiler {
namespace {

using Form = DeviceProduct::Form;

// Sides below this leave most of a tile's results unused.
constexpr int64_t kThinSide = 8;
// What occupies a device.
constexpr int64_t kGroups = 256, kGroupItems = 256;
// Parts are multiples of this, so that blocks of operands do not cross their ends.
constexpr int64_t kPartUnit = 128;

// Sets the parts so that there are about kGroups groups, with at least `least` products
// for each sum.
void SplitDepth(DeviceProduct& product, int64_t groups, int64_t least) {
  product.part_depth = product.depth;
  if (groups <= 0) return;
  const int64_t wanted = std::min(kGroups / groups, product.depth / least);
  if (wanted < 2) return;
  product.part_depth = CeilDiv(CeilDiv(product.depth, wanted), kPartUnit) * kPartUnit;
  product.parts = CeilDiv(product.depth, product.part_depth);
}

void Split(DeviceProduct& product) {
  switch (product.form) {
    case Form::kTiles: {
      // Tiles are this large where there are enough of them.
      constexpr int64_t kSide = 128, kLeast = 1024;
      const int64_t tiles =
          product.batch * CeilDiv(product.rows, kSide) * CeilDiv(product.columns, kSide);
      // Halves of a device's groups gain less than the second phase costs.
      SplitDepth(product, 4 * tiles > kGroups ? kGroups : tiles, kLeast);
      break;
    }
    case Form::kThin: {
      // Of the longer side, in a group.
      constexpr int64_t kSide = 32, kLeast = 512;
      const int64_t longer = std::max(product.rows, product.columns);
      SplitDepth(product, product.batch * CeilDiv(longer, kSide), kLeast);
      break;
    }
    case Form::kDirect: {
      constexpr int64_t kLeast = 256;
      SplitDepth(product, CeilDiv(product.results(), kGroupItems), kLeast);
      break;
    }
  }
}

}  // namespace

DeviceProduct PlanDeviceProduct(const ContractSpec& spec) {
  DeviceProduct product;
  product.batch = spec.batch;
  product.rows = spec.m;
  product.columns = spec.n;
  product.depth = spec.k;
  product.sum = spec.accumulate;
  if (std::min(spec.m, spec.n) < kThinSide) product.form = Form::kThin;
  Split(product);
  return product;
}

DeviceProduct PlanDeviceProduct(const ConvSpec& spec) {
  DeviceProduct product;
  product.batch = spec.feature_groups * spec.batch_groups;
  product.rows = spec.batch / spec.batch_groups;
  product.columns = spec.output_features / product.batch;
  product.depth = spec.input_features / spec.feature_groups;
  for (const ConvSpatialDim& dim : spec.spatial) {
    product.rows *= dim.output;
    product.depth *= dim.window;
  }
  product.sum = spec.accumulate;
  if (product.batch > 1 && product.columns < kThinSide)
    product.form = Form::kDirect;
  else if (std::min(product.rows, product.columns) < kThinSide)
    product.form = Form::kThin;
  Split(product);
  return product;
}

}  // namespace tenon::compiler
