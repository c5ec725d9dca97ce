#include "tenon/compiler/codegen/fft/fft_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/fft/fft_rows.h"
#include "tenon/compiler/codegen/fft/four_step_emitter.h"

namespace tenon::codegen {
namespace {

class PhaseEmitter {
 public:
  PhaseEmitter(IrBuilder& b, const FftSpec& spec, const FftPlan& plan,
               const FftPhase& phase, const FftPointers& pointers,
               const TargetTraits& target)
      : b_(b),
        plan_(plan),
        phase_(phase),
        pointers_(pointers),
        inverse_(spec.inverse),
        f_(b, spec.real, plan.lanes, target),
        steps_(f_),
        rows_(f_, steps_, phase, inverse_),
        four_step_(f_, steps_, plan.four_step, phase, inverse_) {}

  Status Emit(llvm::Value* chunk) {
    llvm::Value* first = OffsetPointer(
        b_, pointers_.scratch,
        AddI(b_, MulI(b_, chunk, plan_.chunk_bytes), plan_.buffers_offset), 1);
    steps_.SetMemory(first, OffsetPointer(b_, first, plan_.buffer_bytes, 1),
                     OffsetPointer(b_, first, 2 * plan_.buffer_bytes, 1));
    if (phase_.units == 1) return Unit(b_.getInt64(0), chunk);
    int64_t share = CeilDiv(phase_.units, phase_.chunks);
    llvm::Value* begin = MulI(b_, chunk, share);
    llvm::Value* end = MinI(b_, AddI(b_, begin, share), b_.getInt64(phase_.units));
    return EmitLoop(b_, begin, end, 1,
                    [&](llvm::Value* unit) { return Unit(unit, chunk); });
  }

 private:
  llvm::Value* Array(FftArray array) {
    if (array == FftArray::kInput) return pointers_.input;
    return array == FftArray::kOutput ? pointers_.output : pointers_.scratch;
  }

  Status Unit(llvm::Value* unit, llvm::Value* chunk) {
    llvm::Value *from = Array(phase_.from), *to = Array(phase_.to);
    switch (phase_.kind) {
      case FftPhase::Kind::kRows:
        return rows_.Emit(from, to, unit);
      case FftPhase::Kind::kColumns:
        return Columns(from, to, unit);
      case FftPhase::Kind::kFourStep:
        return FourStep(from, to, unit, chunk);
    }
    return Internal("unknown phase of a Fourier transform");
  }

  Status FourStep(llvm::Value* from, llvm::Value* to, llvm::Value* unit,
                  llvm::Value* chunk) {
    const FourStepFft& fft = plan_.four_step;
    auto memory = [&](llvm::Value* number) {
      return OffsetPointer(
          b_, pointers_.scratch,
          AddI(b_, MulI(b_, number, fft.memory_bytes), plan_.temporary_bytes), 1);
    };
    if (!plan_.memory_per_chunk) {
      FftPart part = fft.parts[phase_.first_part];
      llvm::Value* units = b_.getInt64(UnitsOfPart(fft, part, f_.lanes));
      llvm::Value* row = b_.CreateUDiv(unit, units);
      return four_step_.EmitPart(part, from, to, memory(row), row,
                                 b_.CreateURem(unit, units));
    }
    for (FftPart part : fft.parts) {
      llvm::Value* units = b_.getInt64(UnitsOfPart(fft, part, f_.lanes));
      TENON_RETURN_IF_ERROR(
          EmitLoop(b_, b_.getInt64(0), units, 1, [&](llvm::Value* unit_of_part) {
            return four_step_.EmitPart(part, from, to, memory(chunk), unit, unit_of_part);
          }));
    }
    return OkStatus();
  }

  // Vectorizes over contiguous columns.
  Status Columns(llvm::Value* from, llvm::Value* to, llvm::Value* unit) {
    int lanes = f_.lanes;
    int64_t blocks = CeilDiv(phase_.inner, lanes);
    llvm::Value* outer = b_.CreateUDiv(unit, b_.getInt64(blocks));
    llvm::Value* column = MulI(b_, b_.CreateURem(unit, b_.getInt64(blocks)), lanes);
    llvm::Value* first = AddI(b_, MulI(b_, outer, phase_.length * phase_.inner), column);
    auto transform = [&](llvm::Value* left) {
      auto columns = [&](llvm::Value* array) {
        FftColumns result;
        result.base = OffsetPointer(b_, array, first, f_.number_bytes());
        result.stride = b_.getInt64(phase_.inner * f_.number_bytes());
        result.swapped = inverse_;
        result.left = left;
        return result;
      };
      FftColumns target = columns(to);
      if (phase_.scale != 1) target.scale = llvm::ConstantFP::get(f_.real, phase_.scale);
      return steps_.RunFromTo(phase_.steps, columns(from), target);
    };
    if (phase_.inner % lanes == 0) return transform(nullptr);
    llvm::Value* left = b_.CreateSub(b_.getInt64(phase_.inner), column);
    if (phase_.inner < lanes) return transform(left);
    // Masks cost more than the steps. Only the last columns need them.
    return EmitIfElse(
        b_, b_.CreateICmpSGE(left, b_.getInt64(lanes)),
        [&] { return transform(nullptr); }, [&] { return transform(left); });
  }

  IrBuilder& b_;
  const FftPlan& plan_;
  const FftPhase& phase_;
  FftPointers pointers_;
  bool inverse_;
  FftBuilder f_;
  FftSteps steps_;
  FftRows rows_;
  FourStepEmitter four_step_;
};

}  // namespace

Status EmitFftPhase(IrBuilder& b, const FftSpec& spec, const FftPlan& plan, int phase,
                    const FftPointers& pointers, llvm::Value* chunk,
                    const TargetTraits& target) {
  return PhaseEmitter(b, spec, plan, plan.phases[phase], pointers, target).Emit(chunk);
}

}  // namespace tenon::codegen
