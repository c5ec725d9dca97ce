#include "tenon/compiler/codegen/fft/butterfly.h"

#include <cmath>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/fft/roots.h"

namespace tenon::codegen {

using Numbers = llvm::MutableArrayRef<ComplexVector>;

llvm::Value* Butterfly::MulAdd(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  if (fma_) return b_.CreateIntrinsic(llvm::Intrinsic::fma, x->getType(), {x, y, z});
  return b_.CreateFAdd(b_.CreateFMul(x, y), z);
}

llvm::Value* Butterfly::NegMulAdd(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  if (fma_)
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, x->getType(),
                              {b_.CreateFNeg(x), y, z});
  return b_.CreateFSub(z, b_.CreateFMul(x, y));
}

ComplexVector Butterfly::Add(ComplexVector x, ComplexVector y) {
  return {b_.CreateFAdd(x.re, y.re), b_.CreateFAdd(x.im, y.im)};
}

ComplexVector Butterfly::Sub(ComplexVector x, ComplexVector y) {
  return {b_.CreateFSub(x.re, y.re), b_.CreateFSub(x.im, y.im)};
}

ComplexVector Butterfly::AddRotated(ComplexVector x, ComplexVector y, int sign) {
  if (sign > 0) return {b_.CreateFSub(x.re, y.im), b_.CreateFAdd(x.im, y.re)};
  return {b_.CreateFAdd(x.re, y.im), b_.CreateFSub(x.im, y.re)};
}

ComplexVector Butterfly::Multiply(ComplexVector x, ComplexVector y) {
  return {NegMulAdd(x.im, y.im, b_.CreateFMul(x.re, y.re)),
          MulAdd(x.im, y.re, b_.CreateFMul(x.re, y.im))};
}

ComplexVector Butterfly::Scale(ComplexVector x, double factor) {
  if (factor == 1) return x;
  llvm::Value* by = llvm::ConstantFP::get(x.re->getType(), factor);
  return {b_.CreateFMul(x.re, by), b_.CreateFMul(x.im, by)};
}

void Butterfly::Transform4(ComplexVector& x0, ComplexVector& x1, ComplexVector& x2,
                           ComplexVector& x3) {
  ComplexVector sum = Add(x0, x2), difference = Sub(x0, x2);
  ComplexVector odd_sum = Add(x1, x3), odd_difference = Sub(x1, x3);
  x0 = Add(sum, odd_sum);
  x2 = Sub(sum, odd_sum);
  x1 = AddRotated(difference, odd_difference, -1);
  x3 = AddRotated(difference, odd_difference, 1);
}

void Butterfly::Transform8(Numbers x) {
  Transform4(x[0], x[2], x[4], x[6]);
  Transform4(x[1], x[3], x[5], x[7]);
  ComplexVector even[] = {x[0], x[2], x[4], x[6]}, odd[] = {x[1], x[3], x[5], x[7]};
  x[0] = Add(even[0], odd[0]);
  x[4] = Sub(even[0], odd[0]);
  // The eighth root of unity is (1 - i) / sqrt(2).
  llvm::Value* root = llvm::ConstantFP::get(x[0].re->getType(), M_SQRT1_2);
  ComplexVector rotated = AddRotated(odd[1], odd[1], -1);
  x[1] = {MulAdd(rotated.re, root, even[1].re), MulAdd(rotated.im, root, even[1].im)};
  x[5] = {NegMulAdd(rotated.re, root, even[1].re),
          NegMulAdd(rotated.im, root, even[1].im)};
  x[2] = AddRotated(even[2], odd[2], -1);
  x[6] = AddRotated(even[2], odd[2], 1);
  rotated = Scale(AddRotated(odd[3], odd[3], -1), M_SQRT1_2);
  x[3] = AddRotated(even[3], rotated, -1);
  x[7] = AddRotated(even[3], rotated, 1);
}

// Elements k and n - k have conjugate roots of unity. So their sum is multiplied by
// cosines and their difference by sines.
void Butterfly::TransformOdd(Numbers x) {
  int64_t n = x.size(), half = n / 2;
  llvm::SmallVector<ComplexVector> sums(half + 1), differences(half + 1);
  ComplexVector total = x[0];
  for (int64_t k = 1; k <= half; ++k) {
    sums[k] = Add(x[k], x[n - k]);
    differences[k] = Sub(x[k], x[n - k]);
    total = Add(total, sums[k]);
  }
  ComplexVector first = x[0];
  x[0] = total;
  llvm::Type* type = first.re->getType();
  for (int64_t m = 1; m <= half; ++m) {
    ComplexVector with_cosines = first, with_sines;
    for (int64_t k = 1; k <= half; ++k) {
      std::complex<double> root = RootOfUnity(m * k, n, 1);
      llvm::Value* cosine = llvm::ConstantFP::get(type, root.real());
      llvm::Value* sine = llvm::ConstantFP::get(type, root.imag());
      with_cosines = {MulAdd(sums[k].re, cosine, with_cosines.re),
                      MulAdd(sums[k].im, cosine, with_cosines.im)};
      if (k == 1) {
        with_sines = {b_.CreateFMul(differences[k].re, sine),
                      b_.CreateFMul(differences[k].im, sine)};
      } else {
        with_sines = {MulAdd(differences[k].re, sine, with_sines.re),
                      MulAdd(differences[k].im, sine, with_sines.im)};
      }
    }
    x[m] = AddRotated(with_cosines, with_sines, -1);
    x[n - m] = AddRotated(with_cosines, with_sines, 1);
  }
}

// Three transforms of every third element, multiplied by twiddle factors, and then three
// transforms across these.
void Butterfly::Transform9(Numbers x) {
  auto constant = [&](std::complex<double> value) {
    llvm::Type* type = x[0].re->getType();
    return ComplexVector{llvm::ConstantFP::get(type, value.real()),
                         llvm::ConstantFP::get(type, value.imag())};
  };
  for (int64_t j = 0; j < 3; ++j) {
    ComplexVector part[] = {x[j], x[j + 3], x[j + 6]};
    TransformOdd(part);
    for (int64_t k = 0; k < 3; ++k) {
      x[j + 3 * k] = part[k];
      if (j * k > 0)
        x[j + 3 * k] = Multiply(part[k], constant(RootOfUnity(j * k, 9, -1)));
    }
  }
  ComplexVector result[9];
  for (int64_t k = 0; k < 3; ++k) {
    Numbers row = x.slice(3 * k, 3);
    TransformOdd(row);
    for (int64_t m = 0; m < 3; ++m) result[k + 3 * m] = row[m];
  }
  llvm::copy(result, x.begin());
}

void Butterfly::Transform(Numbers x) {
  if (x.size() == 2) {
    ComplexVector sum = Add(x[0], x[1]);
    x[1] = Sub(x[0], x[1]);
    x[0] = sum;
  } else if (x.size() == 4) {
    Transform4(x[0], x[1], x[2], x[3]);
  } else if (x.size() == 8) {
    Transform8(x);
  } else if (x.size() == 9) {
    Transform9(x);
  } else {
    TransformOdd(x);
  }
}

}  // namespace tenon::codegen
