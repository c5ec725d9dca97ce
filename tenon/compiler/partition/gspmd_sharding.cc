#include "tenon/compiler/partition/gspmd_sharding.h"

#include <numeric>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/partition/mesh.h"

namespace tenon::compiler::partition {
namespace {

using llvm::StringRef;

class Parser {
 public:
  explicit Parser(StringRef text) : text_(text), rest_(text) {}

  StatusOr<std::vector<GspmdSharding>> Run() {
    std::vector<GspmdSharding> shardings;
    if (!Take("{")) return Malformed();
    if (!rest_.starts_with("{")) {
      TENON_ASSIGN_OR_RETURN(GspmdSharding sharding, ParseBody());
      shardings.push_back(std::move(sharding));
    } else {
      do {
        if (!Take("{")) return Malformed();
        TENON_ASSIGN_OR_RETURN(GspmdSharding sharding, ParseBody());
        shardings.push_back(std::move(sharding));
      } while (Take(","));
      if (!Take("}")) return Malformed();
    }
    if (!rest_.empty()) return Malformed();
    return shardings;
  }

 private:
  Status Malformed() const {
    return InvalidArgument("mhlo.sharding \"" + text_.str() + "\" is malformed at \"" +
                           rest_.take_front(20).str() + "\"");
  }
  Status Unknown(StringRef what) const {
    return Unimplemented("mhlo.sharding \"" + text_.str() + "\" with " + what.str() +
                         " is not supported");
  }

  bool Take(StringRef token) {
    rest_ = rest_.ltrim(' ');
    return rest_.consume_front(token);
  }

  // What follows the opening brace, up to the closing one.
  StatusOr<GspmdSharding> ParseBody() {
    GspmdSharding sharding;
    if (Take("replicated")) {
      sharding.kind = GspmdSharding::Kind::kReplicated;
    } else if (Take("manual")) {
      sharding.kind = GspmdSharding::Kind::kManual;
    } else if (Take("maximal device=")) {
      sharding.kind = GspmdSharding::Kind::kMaximal;
      if (rest_.consumeInteger(10, sharding.device) || sharding.device < 0) {
        return Malformed();
      }
    } else if (Take("devices=")) {
      sharding.kind = GspmdSharding::Kind::kTiled;
      TENON_RETURN_IF_ERROR(ParseTiles(sharding));
    } else {
      return Unknown("this kind");
    }
    if (!Take("}")) return Malformed();
    return sharding;
  }

  // `[4,2]`: sizes from 1 whose product is a number of devices.
  bool ParseList(char open, char close, llvm::SmallVectorImpl<int64_t>& list) {
    if (!Take(StringRef(&open, 1))) return false;
    do {
      int64_t number;
      if (rest_.consumeInteger(10, number) || number < 0) return false;
      list.push_back(number);
    } while (Take(","));
    return Take(StringRef(&close, 1));
  }

  bool Product(llvm::ArrayRef<int64_t> sizes, int64_t& product) {
    product = 1;
    return llvm::all_of(sizes, [&](int64_t size) {
      return size > 0 && !llvm::MulOverflow(product, size, product) &&
             product <= kMaxMeshDevices;
    });
  }

  Status ParseTiles(GspmdSharding& sharding) {
    llvm::SmallVector<int64_t> tiles, sizes, order;
    if (!ParseList('[', ']', tiles)) return Malformed();
    if (!Take("<=")) {
      TENON_RETURN_IF_ERROR(ParseDevices(sharding));
      sizes.push_back(sharding.num_devices);
      order.push_back(0);
    } else if (!ParseList('[', ']', sizes)) {
      return Malformed();
    } else if (Take("T")) {
      if (!ParseList('(', ')', order)) return Malformed();
    } else {
      order = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
    }
    auto sorted = order;
    llvm::sort(sorted);
    int64_t count = 0;
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, sizes.size())) ||
        !Product(sizes, sharding.num_devices) || !Product(tiles, count) ||
        count != sharding.num_devices) {
      return Malformed();
    }
    TENON_RETURN_IF_ERROR(Split(tiles, sizes, order, sharding.dims));
    return TakeSubgroups(sharding);
  }

  // The devices of the tiles in row-major order, such as `3,1,0,2`.
  Status ParseDevices(GspmdSharding& sharding) {
    std::vector<int64_t>& order = sharding.order;
    do {
      int64_t device;
      if (rest_.consumeInteger(10, device)) return Malformed();
      order.push_back(device);
    } while (Take(","));
    sharding.num_devices = static_cast<int64_t>(order.size());
    std::vector<int64_t> sorted = order;
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, sharding.num_devices))) {
      return Malformed();
    }
    if (order == sorted) order.clear();
    return OkStatus();
  }

  // Hands the digits of device numbers, of `sizes` in `order`, to the tiles.
  Status Split(llvm::ArrayRef<int64_t> tiles, llvm::ArrayRef<int64_t> sizes,
               llvm::ArrayRef<int64_t> order, std::vector<DeviceDim>& dims) {
    llvm::SmallVector<DeviceDigits> digits;
    for (int64_t position : order) {
      int64_t stride = 1;
      for (int64_t size : sizes.drop_front(position + 1)) stride *= size;
      digits.push_back({stride, sizes[position]});
    }
    size_t next = 0;
    for (int64_t tile : tiles) {
      DeviceDim& dim = dims.emplace_back();
      while (tile > 1) {
        while (digits[next].size == 1) ++next;
        int64_t common = std::gcd(tile, digits[next].size);
        if (common == 1 || (common < tile && common < digits[next].size)) {
          return Unknown("dimensions that cut its tiles");
        }
        digits[next].size /= common;
        dim.push_back({digits[next].stride * digits[next].size, common});
        tile /= common;
      }
    }
    return OkStatus();
  }

  // The last tiles that split no dimension.
  Status TakeSubgroups(GspmdSharding& sharding) {
    if (Take("last_tile_dim_replicate")) {
      sharding.dims.pop_back();
      return OkStatus();
    }
    if (!Take("last_tile_dims={")) return OkStatus();
    llvm::SmallVector<bool> manual;
    do {
      if (Take("manual")) {
        manual.push_back(true);
      } else if (Take("replicated")) {
        manual.push_back(false);
      } else {
        return Unknown("these subgroups");
      }
    } while (Take(","));
    if (!Take("}") || manual.size() > sharding.dims.size()) return Malformed();
    size_t rank = sharding.dims.size() - manual.size();
    for (auto [is_manual, dim] :
         llvm::zip_equal(manual, llvm::drop_begin(sharding.dims, rank))) {
      if (is_manual) sharding.manual.append(dim);
    }
    sharding.dims.resize(rank);
    return OkStatus();
  }

  StringRef text_, rest_;
};

}  // namespace

StatusOr<std::vector<GspmdSharding>> ParseGspmdShardings(StringRef text) {
  return Parser(text).Run();
}

}  // namespace tenon::compiler::partition
