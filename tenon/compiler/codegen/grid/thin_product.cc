#include "tenon/compiler/codegen/grid/thin_product.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/grid/multiply_add.h"
#include "tenon/compiler/codegen/point/value_parts.h"

namespace tenon::codegen {
namespace {

// How the items of a group share a thin product. The longer operand, which has more rows
// or columns, is read in units: along its side, or along the depth.
struct ThinForm {
  bool lhs_is_longer = false, along_depth = false;
  int unit = 1;
  int64_t shorter = 1, longer = 1;  // sides
  // Items of a group along the longer side, and along the depth.
  int across = 1, slices = 1;

  int unit_side() const { return along_depth ? 1 : unit; }
  int unit_depth() const { return along_depth ? unit : 1; }
  int side() const { return across * unit_side(); }  // of a group
  int64_t groups() const { return CeilDiv(longer, side()); }
};

ThinForm FormOf(const TiledProduct& product, int items) {
  constexpr int kMaxSlices = 32;
  // Units that an item adds up at least, if it can.
  constexpr int64_t kMinUnits = 4;
  ThinForm form;
  form.lhs_is_longer = product.rows > product.columns;
  form.longer = std::max(product.rows, product.columns);
  form.shorter = std::min(product.rows, product.columns);
  form.along_depth =
      form.lhs_is_longer ? product.lhs_along_depth : !product.rhs_along_columns;
  form.unit = form.lhs_is_longer ? product.lhs_unit : product.rhs_unit;
  const int64_t depth = product.parts == 1 ? product.depth : product.part_depth;
  const int64_t slices = CeilDiv(depth, form.unit_depth() * kMinUnits);
  form.slices = static_cast<int>(std::clamp<uint64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max<int64_t>(slices, 1))), 1,
      static_cast<uint64_t>(std::min(kMaxSlices, items))));
  form.across = items / form.slices;
  return form;
}

class ThinEmitter {
 public:
  ThinEmitter(GroupBody& body, const TiledProduct& product)
      : body_(body),
        b_(body.builder()),
        product_(product),
        form_(FormOf(product, body.items())),
        parts_(compiler::IsComplex(product.type) ? 2 : 1),
        part_type_(compiler::ElementLlvmType(b_.getContext(), product.type)) {}

  Status Emit(llvm::Value* group) {
    const int64_t groups = form_.groups();
    first_ = b_.CreateMul(b_.CreateURem(group, Number(groups)), Number(form_.side()));
    range_ = RangeOfPart(b_, product_, b_.CreateUDiv(group, Number(groups)));
    // Neighbouring items read neighbouring units.
    const int fast = form_.along_depth ? form_.slices : form_.across;
    llvm::Value* inner = b_.CreateURem(body_.item(), Number(fast));
    llvm::Value* outer = b_.CreateUDiv(body_.item(), Number(fast));
    slice_ = form_.along_depth ? inner : outer;
    llvm::Value* across = form_.along_depth ? outer : inner;
    in_group_ = b_.CreateMul(across, Number(form_.unit_side()));
    // Beyond the longer side items compute the last sums again, and store nothing.
    position_ = b_.CreateAdd(first_, in_group_);
    if (form_.longer % form_.side() != 0)
      position_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, position_,
                                           Number(form_.longer - form_.unit_side()));
    TENON_ASSIGN_OR_RETURN(const Values sums, AddUp());
    return StoreSums(sums);
  }

 private:
  llvm::Value* Number(int64_t number) {
    return b_.getInt64(static_cast<uint64_t>(number));
  }
  size_t SumCount() const {
    return static_cast<size_t>(form_.shorter * form_.unit_side() * parts_);
  }

  // The sums of an item: for each position of the shorter side those of a unit.
  StatusOr<Values> AddUp() {
    constexpr int kTogether = 4;  // units that are loaded together
    const int64_t step = int64_t{form_.slices} * form_.unit_depth();
    llvm::Value* begin =
        b_.CreateAdd(range_.begin, b_.CreateMul(slice_, Number(form_.unit_depth())));
    Values carried(SumCount(), llvm::Constant::getNullValue(part_type_));
    carried.push_back(begin);
    Status status;
    auto add = [&](llvm::Value* k, int units, Values& sums) -> Status {
      llvm::SmallVector<Values> longer, shorter;
      for (int i = 0; i < units; ++i) {
        llvm::Value* at = b_.CreateAdd(k, Number(i * step));
        TENON_ASSIGN_OR_RETURN(Values unit, Load(form_.lhs_is_longer, position_, at,
                                                 form_.along_depth, form_.unit));
        longer.push_back(std::move(unit));
        for (int64_t j = 0; j < form_.shorter; ++j) {
          TENON_ASSIGN_OR_RETURN(Values values, Load(!form_.lhs_is_longer, Number(j), at,
                                                     true, form_.unit_depth()));
          shorter.push_back(std::move(values));
        }
      }
      for (int i = 0; i < units; ++i)
        for (int64_t j = 0; j < form_.shorter; ++j)
          Add(longer[static_cast<size_t>(i)],
              shorter[static_cast<size_t>(i * form_.shorter + j)],
              llvm::MutableArrayRef(sums).slice(
                  static_cast<size_t>(j * form_.unit_side() * parts_)));
      return OkStatus();
    };
    auto loop = [&](llvm::Value* from, llvm::Value* end, int units) {
      carried = EmitForLoop(b_, from, end, units * step, carried,
                            [&](llvm::Value* k, llvm::ArrayRef<llvm::Value*> values) {
                              Values next(values);
                              if (status.ok())
                                status =
                                    body_.InItem([&] { return add(k, units, next); });
                              next.back() = b_.CreateAdd(k, Number(units * step));
                              return next;
                            });
    };
    loop(begin, b_.CreateSub(range_.end, Number((kTogether - 1) * step)), kTogether);
    loop(carried.back(), range_.end, 1);
    TENON_RETURN_IF_ERROR(status);
    carried.pop_back();
    return carried;
  }

  // The parts of `count` elements, at consecutive k or at consecutive positions.
  StatusOr<Values> Load(bool lhs, llvm::Value* position, llvm::Value* k, bool along_depth,
                        int count) {
    const int unit = lhs ? product_.lhs_unit : product_.rhs_unit;
    const bool in_units =
        unit == count &&
        (lhs ? product_.lhs_along_depth : !product_.rhs_along_columns) == along_depth;
    if (count > 1 && in_units)
      return lhs ? product_.load_lhs_unit(range_.batch, position, k)
                 : product_.load_rhs_unit(range_.batch, k, position);
    Values values;
    for (int i = 0; i < count; ++i) {
      llvm::Value* side = along_depth ? position : b_.CreateAdd(position, Number(i));
      llvm::Value* depth = along_depth ? b_.CreateAdd(k, Number(i)) : k;
      TENON_ASSIGN_OR_RETURN(const ElementValue value,
                             lhs ? product_.load_lhs(range_.batch, side, depth)
                                 : product_.load_rhs(range_.batch, depth, side));
      values.append(FlattenParts({value}));
    }
    return values;
  }

  void Add(llvm::ArrayRef<llvm::Value*> longer, llvm::ArrayRef<llvm::Value*> shorter,
           llvm::MutableArrayRef<llvm::Value*> sums) {
    const auto parts = static_cast<size_t>(parts_);
    for (int i = 0; i < form_.unit; ++i) {
      const size_t along = static_cast<size_t>(i) * parts;
      AddProduct(b_, longer.slice(along, parts),
                 shorter.slice(form_.along_depth ? along : 0, parts),
                 sums.slice(form_.along_depth ? 0 : along, parts));
    }
  }

  // Sums of all slices meet in local memory, where items add them up in order.
  Status StoreSums(llvm::ArrayRef<llvm::Value*> sums) {
    const int64_t results = form_.shorter * form_.side();
    const auto bytes = static_cast<int64_t>(part_type_->getPrimitiveSizeInBits() / 8);
    llvm::Value* memory =
        body_.local().Shared(0, form_.slices * results * parts_ * bytes);
    auto address = [&](llvm::Value* slice, llvm::Value* result, int part) {
      llvm::Value* at = b_.CreateAdd(b_.CreateMul(slice, Number(results)), result);
      return b_.CreateGEP(part_type_, memory,
                          b_.CreateAdd(at, Number(part * form_.slices * results)));
    };
    size_t number = 0;
    for (int64_t j = 0; j < form_.shorter; ++j)
      for (int i = 0; i < form_.unit_side(); ++i)
        for (int part = 0; part < parts_; ++part)
          b_.CreateStore(
              sums[number++],
              address(slice_, b_.CreateAdd(in_group_, Number(j * form_.side() + i)),
                      part));
    body_.Barrier();
    Status status;
    EmitForLoop(b_, body_.item(), Number(results), body_.items(), {},
                [&](llvm::Value* result, auto) {
                  llvm::Value* shorter = b_.CreateUDiv(result, Number(form_.side()));
                  llvm::Value* longer =
                      b_.CreateAdd(first_, b_.CreateURem(result, Number(form_.side())));
                  EmitIf(b_, b_.CreateICmpSLT(longer, Number(form_.longer)), [&] {
                    Values total;
                    for (int slice = 0; slice < form_.slices; ++slice) {
                      for (int part = 0; part < parts_; ++part) {
                        llvm::Value* sum = b_.CreateLoad(
                            part_type_, address(Number(slice), result, part));
                        if (slice == 0)
                          total.push_back(sum);
                        else
                          total[static_cast<size_t>(part)] =
                              AddNumbers(b_, total[static_cast<size_t>(part)], sum);
                      }
                    }
                    llvm::Value* row = form_.lhs_is_longer ? longer : shorter;
                    llvm::Value* column = form_.lhs_is_longer ? shorter : longer;
                    status = body_.InItem([&] {
                      return product_.store(
                          range_.stored_batch, row, column,
                          {product_.type, total[0], parts_ == 2 ? total[1] : nullptr});
                    });
                  });
                  return Values();
                });
    return status;
  }

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  const TiledProduct& product_;
  const ThinForm form_;
  const int parts_;  // of an element: 2 if complex
  llvm::Type* const part_type_;
  PartRange range_;
  llvm::Value* first_ = nullptr;     // of the longer side, in the group
  llvm::Value* in_group_ = nullptr;  // of the item's unit
  llvm::Value *position_ = nullptr, *slice_ = nullptr;
};

}  // namespace

int64_t CountThinGroups(const TiledProduct& product,
                        const compiler::DeviceTarget& device) {
  return product.batch * product.parts * FormOf(product, device.max_group_items).groups();
}

Status EmitThinProduct(GroupBody& body, const TiledProduct& product, llvm::Value* group) {
  return ThinEmitter(body, product).Emit(group);
}

Status EmitDirectProduct(GroupBody& body, const TiledProduct& product,
                         llvm::Value* number) {
  llvm::IRBuilderBase& b = body.builder();
  auto constant = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  auto split = [&](int64_t size) {
    llvm::Value* digit = b.CreateURem(number, constant(size));
    number = b.CreateUDiv(number, constant(size));
    return digit;
  };
  const int unit = product.batch_unit;
  llvm::Value* column = split(product.columns);
  llvm::Value* batch = b.CreateMul(split(product.batch / unit), constant(unit));
  llvm::Value* row = split(product.rows);
  const PartRange range = RangeOfPart(
      b, product, b.CreateAdd(b.CreateMul(batch, constant(product.parts)), number));
  llvm::Type* type = compiler::ElementLlvmType(b.getContext(), product.type);
  const size_t parts = compiler::IsComplex(product.type) ? 2 : 1;
  Values sums(static_cast<size_t>(unit) * parts, llvm::Constant::getNullValue(type));
  auto add = [&](llvm::Value* k, llvm::MutableArrayRef<llvm::Value*> next) -> Status {
    Values lhs, rhs;
    if (unit > 1) {
      TENON_ASSIGN_OR_RETURN(lhs, product.load_lhs_batches(batch, row, k));
      TENON_ASSIGN_OR_RETURN(rhs, product.load_rhs_batches(batch, k, column));
    } else {
      TENON_ASSIGN_OR_RETURN(const ElementValue x, product.load_lhs(batch, row, k));
      TENON_ASSIGN_OR_RETURN(const ElementValue y, product.load_rhs(batch, k, column));
      lhs = FlattenParts({x});
      rhs = FlattenParts({y});
    }
    for (size_t i = 0; i < next.size(); i += parts)
      AddProduct(b, llvm::ArrayRef(lhs).slice(i, parts),
                 llvm::ArrayRef(rhs).slice(i, parts), next.slice(i, parts));
    return OkStatus();
  };
  Status status;
  // Windows of few elements have constant offsets.
  constexpr int64_t kMaxUnrolled = 32;
  if (product.parts == 1 && product.depth <= kMaxUnrolled) {
    for (int64_t k = 0; k < product.depth && status.ok(); ++k)
      status = body.InItem([&] { return add(constant(k), sums); });
  } else {
    sums = EmitForLoop(b, range.begin, range.end, 1, sums,
                       [&](llvm::Value* k, llvm::ArrayRef<llvm::Value*> carried) {
                         Values next(carried);
                         if (status.ok())
                           status = body.InItem([&] { return add(k, next); });
                         return next;
                       });
  }
  TENON_RETURN_IF_ERROR(status);
  if (unit > 1 && parts == 1 && product.stores_vectors) {
    llvm::Value* vector = llvm::PoisonValue::get(
        llvm::FixedVectorType::get(type, static_cast<unsigned>(unit)));
    for (auto [i, sum] : llvm::enumerate(sums))
      vector = b.CreateInsertElement(vector, sum, i);
    return body.InItem([&] {
      return product.store(batch, row, column, {product.type, vector, nullptr});
    });
  }
  for (int i = 0; i < unit; ++i) {
    const size_t first = static_cast<size_t>(i) * parts;
    llvm::Value* stored = b.CreateAdd(range.stored_batch, constant(i * product.parts));
    TENON_RETURN_IF_ERROR(body.InItem([&] {
      return product.store(
          stored, row, column,
          {product.type, sums[first], parts == 2 ? sums[first + 1] : nullptr});
    }));
  }
  return OkStatus();
}

Status EmitSumOfParts(GroupBody& body, const TiledProduct& product, llvm::Value* memory,
                      llvm::Value* number) {
  llvm::IRBuilderBase& b = body.builder();
  auto constant = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  llvm::Value* column = b.CreateURem(number, constant(product.columns));
  llvm::Value* rest = b.CreateUDiv(number, constant(product.columns));
  llvm::Value* row = b.CreateURem(rest, constant(product.rows));
  llvm::Value* batch = b.CreateUDiv(rest, constant(product.rows));
  llvm::Type* type = compiler::ElementLlvmType(b.getContext(), product.type);
  const size_t parts = compiler::IsComplex(product.type) ? 2 : 1;
  const Values sums = EmitForLoop(
      b, constant(0), constant(product.parts), 1,
      Values(parts, llvm::Constant::getNullValue(type)),
      [&](llvm::Value* part, llvm::ArrayRef<llvm::Value*> carried) {
        Values next(carried);
        llvm::Value* stored_batch =
            b.CreateAdd(b.CreateMul(batch, constant(product.parts)), part);
        for (auto [i, sum] : llvm::enumerate(next))
          sum = AddNumbers(
              b, sum,
              b.CreateLoad(type, AddressOfPart(b, product, memory, stored_batch, row,
                                               column, static_cast<int>(i))));
        return next;
      });
  return body.InItem([&] {
    return product.store(batch, row, column,
                         {product.type, sums[0], parts == 2 ? sums[1] : nullptr});
  });
}

}  // namespace tenon::codegen
