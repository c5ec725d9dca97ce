#include "tenon/compiler/codegen/fft/fft_builder.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "tenon/compiler/codegen/ir/interleave.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"

namespace tenon::codegen {

FftBuilder::FftBuilder(IrBuilder& builder, ElementType real_type, int lane_count,
                       const TargetTraits& target)
    : b(builder),
      lanes(lane_count),
      bytes(real_type == ElementType::kF64 ? 8 : 4),
      outputs(target.vector_registers >= 32 ? 4 : 3),
      real(bytes == 8 ? b.getDoubleTy() : b.getFloatTy()),
      vector(llvm::FixedVectorType::get(real, lanes)),
      pairs(llvm::FixedVectorType::get(real, 2 * lanes)),
      butterfly(b, target.fma) {}

ComplexVector FftBuilder::LoadParts(llvm::Value* address) {
  llvm::Align align(lanes * bytes);
  return {b.CreateAlignedLoad(vector, address, align),
          b.CreateAlignedLoad(vector, b.CreateConstInBoundsGEP1_64(vector, address, 1),
                              align)};
}

void FftBuilder::StoreParts(llvm::Value* address, ComplexVector value) {
  llvm::Align align(lanes * bytes);
  b.CreateAlignedStore(value.re, address, align);
  b.CreateAlignedStore(value.im, b.CreateConstInBoundsGEP1_64(vector, address, 1), align);
}

ComplexVector FftBuilder::FromBuffer(llvm::Value* buffer, llvm::Value* index) {
  return LoadParts(OffsetPointer(b, buffer, index, vector_bytes()));
}

void FftBuilder::ToBuffer(llvm::Value* buffer, llvm::Value* index, ComplexVector value) {
  StoreParts(OffsetPointer(b, buffer, index, vector_bytes()), value);
}

llvm::Value* FftBuilder::Fence(llvm::Value* value) {
  return b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {value->getType()},
                           {value});
}

ComplexVector FftBuilder::Split(llvm::Value* low, llvm::Value* high) {
  auto [re, im] = Deinterleave(b, low, high, lanes);
  return {Fence(re), Fence(im)};
}

llvm::Value* FftBuilder::Pairs(ComplexVector value, int first, int count) {
  return Fence(Interleave(b, value.re, value.im, first, count));
}

void FftBuilder::Transpose(llvm::MutableArrayRef<llvm::Value*> rows, int unit) {
  TransposeTile(b, rows, unit);
}

llvm::Value* FftBuilder::InRow(const Rows& rows, llvm::Value* first, int lane,
                               llvm::Value* position) {
  if (!rows.distance)
    return OffsetPointer(b, rows.address(AddI(b, first, lane)), position, number_bytes());
  llvm::Value* at_first = OffsetPointer(b, rows.address(first), position, number_bytes());
  return OffsetPointer(b, at_first, MulI(b, rows.distance, lane), 1);
}

Status FftBuilder::ForEachTransposeTile(
    llvm::Value* count,
    llvm::function_ref<void(llvm::Value* position, llvm::Value* tile)> body) {
  int width = lanes / 2;
  llvm::Value* last = AddI(b, count, -width);
  return EmitLoop(b, b.getInt64(0), count, width, [&](llvm::Value* iv) {
    llvm::Value* position = MinI(b, iv, last);
    return EmitLoop(b, b.getInt64(0), b.getInt64(2), 1, [&](llvm::Value* tile) {
      body(position, tile);
      return OkStatus();
    });
  });
}

Status FftBuilder::LoadRowsInOnePass(Rows rows, llvm::Value* count, llvm::Value* buffer,
                                     bool exchange) {
  int width = lanes / 2;
  llvm::Value* last = AddI(b, count, -width);
  return EmitLoop(b, b.getInt64(0), count, width, [&](llvm::Value* iv) {
    llvm::Value* position = MinI(b, iv, last);
    llvm::SmallVector<llvm::Value*> tiles[2];
    for (int lane = 0; lane < lanes; ++lane)
      tiles[lane / width].push_back(b.CreateAlignedLoad(
          vector, InRow(rows, b.getInt64(0), lane, position), llvm::Align(bytes)));
    for (auto& tile : tiles) TransposeTile(b, tile, 2);
    for (int i = 0; i < width; ++i) {
      ComplexVector value = Split(tiles[0][i], tiles[1][i]);
      if (exchange) std::swap(value.re, value.im);
      ToBuffer(buffer, AddI(b, position, i), value);
    }
    return OkStatus();
  });
}

Status FftBuilder::StoreRowsInOnePass(
    llvm::Value* count, llvm::function_ref<ComplexVector(llvm::Value* index)> value,
    Rows rows) {
  int width = lanes / 2;
  llvm::Value* last = AddI(b, count, -width);
  return EmitLoop(b, b.getInt64(0), count, width, [&](llvm::Value* iv) {
    llvm::Value* position = MinI(b, iv, last);
    llvm::SmallVector<llvm::Value*> tiles[2];
    for (int i = 0; i < width; ++i) {
      ComplexVector stored = value(AddI(b, position, i));
      tiles[0].push_back(Pairs(stored, 0, width));
      tiles[1].push_back(Pairs(stored, width, width));
    }
    for (auto& tile : tiles) TransposeTile(b, tile, 2);
    for (int lane = 0; lane < lanes; ++lane)
      b.CreateAlignedStore(tiles[lane / width][lane % width],
                           InRow(rows, b.getInt64(0), lane, position),
                           llvm::Align(bytes));
    return OkStatus();
  });
}

Status FftBuilder::LoadRows(Rows rows, llvm::Value* count, llvm::Value* buffer,
                            bool exchange) {
  int width = lanes / 2;
  llvm::Align align(lanes * bytes);
  TENON_RETURN_IF_ERROR(ForEachTransposeTile(count, [&](llvm::Value* position,
                                                        llvm::Value* tile) {
    llvm::SmallVector<llvm::Value*> vectors;
    for (int i = 0; i < width; ++i)
      vectors.push_back(b.CreateAlignedLoad(
          vector, InRow(rows, MulI(b, tile, width), i, position), llvm::Align(bytes)));
    TransposeTile(b, vectors, 2);
    llvm::Value* target = OffsetPointer(
        b, OffsetPointer(b, buffer, position, vector_bytes()), tile, lanes * bytes);
    for (int i = 0; i < width; ++i)
      b.CreateAlignedStore(vectors[i], OffsetPointer(b, target, i, vector_bytes()),
                           align);
  }));
  return EmitLoop(b, b.getInt64(0), count, 1, [&](llvm::Value* index) {
    ComplexVector halves = FromBuffer(buffer, index);
    ComplexVector value = Split(halves.re, halves.im);
    if (exchange) std::swap(value.re, value.im);
    ToBuffer(buffer, index, value);
    return OkStatus();
  });
}

Status FftBuilder::StoreRows(llvm::Value* buffer, llvm::Value* count,
                             llvm::function_ref<ComplexVector(llvm::Value* index)> value,
                             Rows rows) {
  int width = lanes / 2;
  llvm::Align align(lanes * bytes);
  TENON_RETURN_IF_ERROR(EmitLoop(b, b.getInt64(0), count, 1, [&](llvm::Value* index) {
    ComplexVector stored = value(index);
    ToBuffer(buffer, index, {Pairs(stored, 0, width), Pairs(stored, width, width)});
    return OkStatus();
  }));
  return ForEachTransposeTile(count, [&](llvm::Value* position, llvm::Value* tile) {
    llvm::Value* source = OffsetPointer(
        b, OffsetPointer(b, buffer, position, vector_bytes()), tile, lanes * bytes);
    llvm::SmallVector<llvm::Value*> vectors;
    for (int i = 0; i < width; ++i)
      vectors.push_back(b.CreateAlignedLoad(
          vector, OffsetPointer(b, source, i, vector_bytes()), align));
    TransposeTile(b, vectors, 2);
    for (int i = 0; i < width; ++i)
      b.CreateAlignedStore(vectors[i], InRow(rows, MulI(b, tile, width), i, position),
                           llvm::Align(bytes));
  });
}

llvm::Value* FftBuilder::Reverse(llvm::Value* value) {
  llvm::SmallVector<int> order;
  for (int lane = lanes; lane-- > 0;) order.push_back(lane);
  return b.CreateShuffleVector(value, order);
}

ComplexVector FftBuilder::LoadPairs(llvm::Value* address) {
  return Split(b.CreateAlignedLoad(pairs, address, llvm::Align(bytes)));
}

void FftBuilder::StorePairs(llvm::Value* address, ComplexVector value) {
  b.CreateAlignedStore(Pairs(value, 0, lanes), address, llvm::Align(bytes));
}

llvm::Value* FftBuilder::LanesBelow(llvm::Value* limit, int count, int unit) {
  llvm::SmallVector<llvm::Constant*> numbers;
  for (int lane = 0; lane < count; ++lane) numbers.push_back(b.getInt32(lane / unit));
  // Compares in 32 bits, of which a vector holds twice as many as of 64.
  limit = b.CreateTrunc(MinI(b, limit, b.getInt64(lanes)), b.getInt32Ty());
  return b.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                         b.CreateVectorSplat(count, limit));
}

llvm::Value* FftBuilder::BytesTable(const void* data, size_t size) {
  // Stored as bytes, which LLVM writes to the object file in one piece.
  llvm::Constant* constant = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(static_cast<const char*>(data), size), size, b.getInt8Ty());
  llvm::Module* module = b.GetInsertBlock()->getModule();
  for (llvm::User* user : constant->users()) {
    auto* table = llvm::dyn_cast<llvm::GlobalVariable>(user);
    if (table && table->isConstant() && table->getParent() == module) return table;
  }
  auto* table =
      new llvm::GlobalVariable(*module, constant->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::PrivateLinkage, constant, "roots");
  table->setAlignment(llvm::Align(64));
  return table;
}

llvm::Value* FftBuilder::RealTable(const std::vector<double>& numbers) {
  if (bytes == 8) return DoubleTable(numbers);
  const std::vector<float> rounded(numbers.begin(), numbers.end());
  return BytesTable(rounded.data(), 4 * rounded.size());
}

llvm::Value* FftBuilder::DoubleTable(const std::vector<double>& numbers) {
  return BytesTable(numbers.data(), 8 * numbers.size());
}

llvm::Value* FftBuilder::IndexTable(const std::vector<int32_t>& numbers) {
  return BytesTable(numbers.data(), 4 * numbers.size());
}

llvm::Value* FftBuilder::Table(int64_t count,
                               llvm::function_ref<std::complex<double>(int64_t)> value) {
  std::vector<double> numbers;
  numbers.reserve(2 * count);
  for (int64_t i = 0; i < count; ++i) {
    std::complex<double> number = value(i);
    numbers.push_back(number.real());
    numbers.push_back(number.imag());
  }
  return RealTable(numbers);
}

ComplexVector FftBuilder::Broadcast(llvm::Value* table, llvm::Value* index) {
  llvm::Value* address = OffsetPointer(b, table, index, number_bytes());
  auto splat = [&](int part) {
    llvm::Value* number = b.CreateAlignedLoad(
        real, b.CreateConstInBoundsGEP1_64(real, address, part), llvm::Align(bytes));
    return b.CreateVectorSplat(lanes, number);
  };
  return {splat(0), splat(1)};
}

Status FftBuilder::CallShared(llvm::StringRef name,
                              llvm::ArrayRef<llvm::Value*> arguments,
                              llvm::function_ref<Status(IrValues& parameters)> body) {
  const std::string full_name =
      ("fft." + name + (bytes == 8 ? ".f64x" : ".f32x") + llvm::Twine(lanes)).str();
  return codegen::CallShared(b, full_name, arguments, body);
}

}  // namespace tenon::codegen
