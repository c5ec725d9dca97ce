// Minimax polynomials, constant term first, written by scripts/fit_polynomials.py. The
// number in a name is the width of the floats that the coefficients are rounded to.
#ifndef TENON_COMPILER_MATH_POLYNOMIALS_H_
#define TENON_COMPILER_MATH_POLYNOMIALS_H_

#include <cstddef>

namespace tenon::compiler {

// A piecewise polynomial for a function of a >= 0, in u = scale * a. The exponent and the
// first `mantissa_bits` of the mantissa of u + offset select one of kCount pieces: its
// number are their low bits. Coefficient k multiplies power k of u minus the start of the
// piece. The function is constant from a = `top` on.
template <size_t kCount, size_t kTerms>
struct Pieces {
  double scale, offset;
  int mantissa_bits;
  double top;
  double coefficients[kTerms][kCount];
};

// expm1(r) = r + r^2 p(r), |r| <= ln(2)/2; error 2^-26.18.
inline constexpr double kExp32[] = {
    0x1.fffffe0000000p-2, 0x1.5554b00000000p-3,  0x1.5556740000000p-5,
    0x1.12277e0000000p-7, 0x1.6bebd60000000p-10,
};
// expm1(r) = r + r^2 p(r), |r| <= ln(2)/2; error 2^-55.62.
inline constexpr double kExp64[] = {
    0x1.0000000000005p-1,  0x1.555555555553ap-3,  0x1.55555555522aep-5,
    0x1.1111111118f5fp-7,  0x1.6c16c17ede43bp-10, 0x1.a01a017530d19p-13,
    0x1.a019a766f080fp-16, 0x1.71de87bff56f2p-19, 0x1.28a1e8b88e9acp-22,
    0x1.ae6c278de1a82p-26,
};
// log(1 + f) = f - f^2/2 + f^3 p(f), |f| <= 1/3; error 2^-30.13.
inline constexpr double kLog32[] = {
    0x1.5555560000000p-2,  -0x1.ffff0e0000000p-3, 0x1.99977e0000000p-3,
    -0x1.5599020000000p-3, 0x1.24f48a0000000p-3,  -0x1.f38a7a0000000p-4,
    0x1.b87e580000000p-4,  -0x1.0710180000000p-3, 0x1.ebd0fc0000000p-4,
};
// 2 atanh(s) = 2s + s^3 p(s^2), |s| <= (sqrt(2)-1)/(sqrt(2)+1); error 2^-58.49.
inline constexpr double kLogAtanh64[] = {
    0x1.5555555555592p-1, 0x1.999999997fdd5p-2, 0x1.24924941ef9fep-2,
    0x1.c71c520a8cb65p-3, 0x1.74663eab22c8fp-3, 0x1.39a1c0e13fa91p-3,
    0x1.2f05251f26dcdp-3,
};
// 2 atanh(s) = 2s + 2/3 s^3 + s^5 p(s^2), |s| <= (sqrt(2)-1)/(sqrt(2)+1); error 2^-35.78.
inline constexpr double kPowLog32[] = {
    0x1.999a000000000p-2,
    0x1.24529c0000000p-2,
    0x1.df9c520000000p-3,
};
// 2 atanh(s) = 2s + 2/3 s^3 + s^5 p(s^2), |s| <= (sqrt(2)-1)/(sqrt(2)+1); error 2^-65.29.
inline constexpr double kPowLog64[] = {
    0x1.9999999999b30p-2, 0x1.2492492457dcep-2, 0x1.c71c722d5b60dp-3,
    0x1.745ce9e760f39p-3, 0x1.3b1eeb491ad9ep-3, 0x1.0f7ffbd1aa2bbp-3,
    0x1.0e41ff3c08f9ap-3,
};
// sin r = r + r^3 p(r^2), |r| <= pi/4; error 2^-28.05.
inline constexpr double kSin32[] = {
    -0x1.5555460000000p-3,
    0x1.11075e0000000p-7,
    -0x1.994e060000000p-13,
};
// sin r = r + r^3 p(r^2), |r| <= pi/4; error 2^-58.01.
inline constexpr double kSin64[] = {
    -0x1.5555555555549p-3, 0x1.111111110f874p-7,   -0x1.a01a019c10d31p-13,
    0x1.71de3577020acp-19, -0x1.ae5e65a6d95eap-26, 0x1.5d92d4769e546p-33,
};
// cos r = 1 - r^2/2 + r^4 p(r^2), |r| <= pi/4; error 2^-33.29.
inline constexpr double kCos32[] = {
    0x1.55554a0000000p-5,
    -0x1.6c0c8a0000000p-10,
    0x1.9a01da0000000p-16,
};
// cos r = 1 - r^2/2 + r^4 p(r^2), |r| <= pi/4; error 2^-64.21.
inline constexpr double kCos64[] = {
    0x1.555555555554cp-5,   -0x1.6c16c16c15177p-10, 0x1.a01a019cb10eap-16,
    -0x1.27e4f8096e4a9p-22, 0x1.1ee9eb8de051bp-29,  -0x1.8fae6bcaa0bc4p-37,
};
// tan r = r + r^3 p(r^2), |r| <= pi/4; error 2^-29.38.
inline constexpr double kTan32[] = {
    0x1.5555620000000p-2, 0x1.110d440000000p-3, 0x1.bae8240000000p-5,
    0x1.5c38a80000000p-6, 0x1.655b0a0000000p-7, 0x1.62e20c0000000p-18,
    0x1.21685e0000000p-8,
};
// tan r = r + r^3 p(r^2), |r| <= pi/4; error 2^-56.03.
inline constexpr double kTan64[] = {
    0x1.55555555554e5p-2,   0x1.1111111118f5fp-3,   0x1.ba1ba1b3deaa5p-5,
    0x1.664f49c151d98p-6,   0x1.226e0fc16c311p-7,   0x1.d6d98ce9c446ep-9,
    0x1.7d575257e7da2p-10,  0x1.381b149d021f8p-11,  0x1.d100752c6cc21p-13,
    0x1.210338d9a4272p-13,  -0x1.d7fd9059bc5d9p-16, 0x1.7db02855841aep-14,
    -0x1.7f3bc5fe09a32p-15, 0x1.612f6ae6e0821p-16,
};
// tanh x = x + x^3 p(x^2), |x| <= 0.55; error 2^-29.9.
inline constexpr double kTanh32[] = {
    -0x1.55554c0000000p-2, 0x1.110d3a0000000p-3,  -0x1.b92b740000000p-5,
    0x1.59542e0000000p-6,  -0x1.9bac840000000p-8,
};
// tanh x = x + x^3 p(x^2), |x| <= 0.55; error 2^-55.53.
inline constexpr double kTanh64[] = {
    -0x1.55555555554a4p-2,  0x1.1111111102fd2p-3,  -0x1.ba1ba1adb93f4p-5,
    0x1.664f45cf45125p-6,   -0x1.226dde7f27d45p-7, 0x1.d6c6427c2935fp-9,
    -0x1.7cf51477f0ccfp-10, 0x1.2faa0e6fcacdap-11, -0x1.b93864c0d0273p-13,
    0x1.ac7be89114ec1p-15,
};
// atan q = q + q^3 p(q^2), |q| <= 1; error 2^-26.0.
inline constexpr double kAtan32[] = {
    -0x1.5554e60000000p-2, 0x1.997adc0000000p-3,  -0x1.231b620000000p-3,
    0x1.b568be0000000p-4,  -0x1.36800c0000000p-4, 0x1.64ca560000000p-5,
    -0x1.0faa9a0000000p-6, 0x1.85e31c0000000p-9,
};
// atan q = q + q^3 p(q^2), |q| <= 1; error 2^-57.75.
inline constexpr double kAtan64[] = {
    -0x1.555555555552ap-2,  0x1.9999999995ae6p-3,  -0x1.24924923922e5p-3,
    0x1.c71c718424ce0p-4,   -0x1.745d11fafdd5ap-4, 0x1.3b136a153e230p-4,
    -0x1.110e6d828c6abp-4,  0x1.e1bcf6f6bc0dfp-5,  -0x1.ae6449f9fc3abp-5,
    0x1.82eea4569d162p-5,   -0x1.59d7d68bbee8fp-5, 0x1.2c97e4bcce83bp-5,
    -0x1.eb488aac613f3p-6,  0x1.69d7bf07a2becp-6,  -0x1.ca9646d74d158p-7,
    0x1.dc02af1eaaf57p-8,   -0x1.7ea4ab0fc2a16p-9, 0x1.ba3a6aba00706p-11,
    -0x1.44a1fce283af3p-13, 0x1.c4a01ff9a56f7p-17,
};
// asin x = x + x^3 p(x^2), |x| <= 1/2; error 2^-27.59.
inline constexpr double kAsin32[] = {
    0x1.5555ca0000000p-3, 0x1.3301500000000p-4, 0x1.748c480000000p-5,
    0x1.8ba3500000000p-6, 0x1.59d9fa0000000p-5,
};
// asin x = x + x^3 p(x^2), |x| <= 1/2; error 2^-55.87.
inline constexpr double kAsin64[] = {
    0x1.5555555555387p-3, 0x1.333333336f891p-4,  0x1.6db6db41d4002p-5,
    0x1.f1c72c6d2569ap-6, 0x1.6e89ef7fe2d98p-6,  0x1.1c6c274925f33p-6,
    0x1.c6f8886b65832p-7, 0x1.8ee457c24241fp-7,  0x1.aab69175f722bp-8,
    0x1.40afc5fff0024p-6, -0x1.0af15f41b1c33p-6, 0x1.05cd1ff2fbf10p-5,
};
// sinh x = x + x^3 p(x^2), |x| <= 1; error 2^-34.05.
inline constexpr double kSinh32[] = {
    0x1.5555560000000p-3,
    0x1.1111360000000p-7,
    0x1.9ffe120000000p-13,
    0x1.7a26920000000p-19,
};
// sinh x = x + x^3 p(x^2), |x| <= 1; error 2^-63.21.
inline constexpr double kSinh64[] = {
    0x1.5555555555556p-3,  0x1.11111111110a1p-7,  0x1.a01a01a0291f3p-13,
    0x1.71de3a45f77d2p-19, 0x1.ae6467664a805p-26, 0x1.611a3a37a2395p-33,
    0x1.b4cf71cebf8cdp-41,
};
// acosh(1 + t) = s + s t p(t), s = sqrt(2 t), t <= 1/4; error 2^-29.7.
inline constexpr double kAcosh32[] = {
    -0x1.55552e0000000p-4,
    0x1.331a9e0000000p-6,
    -0x1.68ef860000000p-8,
    0x1.91b8820000000p-10,
};
// acosh(1 + t) = s + s t p(t), s = sqrt(2 t), t <= 1/4; error 2^-61.92.
inline constexpr double kAcosh64[] = {
    -0x1.555555555554bp-4,  0x1.33333333313c6p-6,   -0x1.6db6db6ba0133p-8,
    0x1.f1c71b57ce428p-10,  -0x1.6e8b781a4abd6p-11, 0x1.1c4abc3676381p-12,
    -0x1.c91c655b81083p-14, 0x1.759ccab4433a0p-15,  -0x1.20845773211e0p-16,
    0x1.370dfb188476ep-18,
};
// m^(-1/3) ~ p(m), 1 <= m < 2; refined by Newton steps; error 2^-14.7.
inline constexpr double kCbrt32[] = {
    0x1.ab85800000000p+0,  -0x1.2c41be0000000p+0, 0x1.6416160000000p-1,
    -0x1.c5180c0000000p-3, 0x1.d46f220000000p-6,
};
// m^(-1/3) ~ p(m), 1 <= m < 2; refined by Newton steps; error 2^-17.41.
inline constexpr double kCbrt64[] = {
    0x1.c7f33b0df6f60p+0,  -0x1.90e6afe5eb28ap+0, 0x1.3e67f46a1b47cp+0,
    -0x1.321b58102cb7dp-1, 0x1.3fa11171e37cep-3,  -0x1.16d58def5445dp-6,
};
// erf x = x + x p(x^2), |x| <= 1; error 2^-29.66.
inline constexpr double kErfSmall32[] = {
    0x1.06eba80000000p-3,  -0x1.81273e0000000p-2, 0x1.ce2d200000000p-4,
    -0x1.b7fbb60000000p-6, 0x1.5419fe0000000p-8,  -0x1.a4862e0000000p-11,
    0x1.4ae57e0000000p-14,
};
// erf x = x + x p(x^2), |x| <= 1; error 2^-56.97.
inline constexpr double kErfSmall64[] = {
    0x1.06eba8214db68p-3,   -0x1.812746b0379c2p-2,  0x1.ce2f21a041015p-4,
    -0x1.b82ce31206219p-6,  0x1.565bccfa997cfp-8,   -0x1.c02db072d59a1p-11,
    0x1.f9a2bf71c4caap-14,  -0x1.f4ca9480319b7p-17, 0x1.b9827a69ce574p-20,
    -0x1.5c16e0503080cp-23, 0x1.d78488dc53989p-27,  -0x1.acdfef60037fbp-31,
};
// erf x = 1 - exp(-p(x)), 0.92 <= x <= 3.95; error 2^-29.27.
inline constexpr double kErfLarge32[] = {
    0x1.9a81f00000000p-13,  0x1.20af540000000p+0,  0x1.463cd20000000p-1,
    0x1.a9b3a80000000p-4,   -0x1.6c29600000000p-6, 0x1.8edf160000000p-9,
    -0x1.9ae4de0000000p-13,
};
// erf x = 1 - exp(-p(x)), 0.92 <= x <= 5.95; error 2^-55.95.
inline constexpr double kErfLarge64[] = {
    0x1.309e97c1b86cdp-22,  0x1.20dd42ce3eea6p+0,   0x1.45f4f265044a7p-1,
    0x1.a4c6a3f12dd52p-4,   -0x1.37e80fa102434p-6,  -0x1.6aa7700b81041p-12,
    0x1.e48ac7413e37bp-10,  -0x1.776e9f28197d1p-11, 0x1.a59502c5ae30cp-14,
    0x1.3a8c5701d4b9dp-15,  -0x1.f08e8177755f2p-16, 0x1.68daa7a9059a0p-17,
    -0x1.61709417b1d8bp-19, 0x1.f15ebfa33b43ep-22,  -0x1.f4de3a9d36641p-25,
    0x1.58d0889aa18b9p-28,  -0x1.23b40221ed78ep-32, 0x1.ca26a8c5c4eaap-38,
};
// (1 + 2x) e^(x^2) erfc x = p((x - 4) / (x + 4)), 0.7 <= x <= 10.3; error 2^-29.58.
inline constexpr double kErfc32[] = {
    0x1.3ba5920000000p+0,  -0x1.1df1aa0000000p-3, 0x1.f7f6400000000p-7,
    0x1.16eb1a0000000p-4,  -0x1.9ddd760000000p-4, 0x1.800bc20000000p-4,
    -0x1.0f85680000000p-4, 0x1.2f18c20000000p-5,  -0x1.0e4ce40000000p-6,
    0x1.5d2aea0000000p-8,
};
// (1 + 2x) e^(x^2) erfc x = p((x - 4) / (x + 4)), 0.7 <= x <= 27.3; error 2^-62.64.
inline constexpr double kErfc64[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd7d4p-7,
    0x1.16ecefcfa5358p-4,   -0x1.9ddb23c3e91f4p-4,  0x1.7fee004e13179p-4,
    -0x1.0fb06dfe46d63p-4,  0x1.3079edf65ee6bp-5,   -0x1.09623885bf413p-6,
    0x1.49c67294bc6b1p-8,   -0x1.8d4a990a40207p-11, -0x1.a1df33e7ef26ap-13,
    0x1.3be0275219531p-13,  -0x1.9956f619a2c6cp-16, -0x1.787f1e09ff015p-17,
    0x1.7f09f843fa882p-18,  0x1.37c5fd2502c70p-22,  -0x1.b8fcf617f14d0p-21,
    0x1.54f6f0ed7b467p-24,  0x1.c2829d5e40b46p-24,  -0x1.73dbb29b06491p-26,
    -0x1.6072f76777f7ap-27, 0x1.ab7d585b856c9p-29,
};
// erf_inv(x) / x = p(w - 2.5), w = -log(1 - x^2), 0 <= w <= 5; error 2^-28.72.
inline constexpr double kErfInvCenter32[] = {
    0x1.805c5e0000000p+0,   0x1.f91e8c0000000p-3,  -0x1.11c4200000000p-8,
    -0x1.4866460000000p-10, 0x1.c9c5980000000p-13, -0x1.4cfcea0000000p-18,
    -0x1.ccfc460000000p-19, 0x1.f43f2a0000000p-22, 0x1.35de480000000p-26,
    -0x1.2d6df00000000p-27, 0x1.70f76e0000000p-32,
};
// erf_inv(x) / x = p(sqrt(w) - 3), w = -log(1 - x^2), 5 <= w <= 17; error 2^-29.27.
inline constexpr double kErfInvTail32[] = {
    0x1.6a9efc0000000p+1,  0x1.006dca0000000p+0,   0x1.3580d40000000p-7,
    -0x1.f4e0c40000000p-8, 0x1.74c2180000000p-8,   -0x1.d385320000000p-9,
    0x1.828fea0000000p-10, -0x1.f967ee0000000p-14, -0x1.222f340000000p-12,
    0x1.51672e0000000p-13, -0x1.f661f40000000p-16,
};
// erf_inv(x) / x = p(w - 3.125), w = -log(1 - x^2), 0 <= w <= 6.25; error 2^-59.44.
inline constexpr double kErfInvCenter64[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13df9p-3,   -0x1.8b6c33114ea67p-8,
    -0x1.8457694834e41p-11, 0x1.879c2a20b0daap-13,  -0x1.d1d1f7ca933f4p-17,
    -0x1.6e8a53c9b9bf2p-20, 0x1.c6b4f8a1babb3p-22,  -0x1.f36cee52e5ba8p-26,
    -0x1.1a9eb59bc32acp-28, 0x1.20f5402396191p-30,  -0x1.dc3dd8e708839p-35,
    -0x1.c8a5d219ad69ap-37, 0x1.722f25ad39897p-39,  -0x1.6ba1d66c80ba9p-44,
    -0x1.680bc5b30807dp-45, 0x1.d62ef0de68db0p-48,  -0x1.acc635917ecbfp-55,
    -0x1.1a9a663303639p-53, 0x1.2b502fc747831p-56,  0x1.76bee66e5cd66p-61,
    -0x1.d08e960188439p-62, 0x1.65882f1be30dcp-66,  0x1.737c584c395e9p-68,
    -0x1.9c72049ea1777p-72, -0x1.118e8db6f6b88p-75,
};
// erf_inv(x) / x = p(sqrt(w) - 3.25), w = -log(1 - x^2), 6.25 <= w <= 16; error 2^-59.78.
inline constexpr double kErfInvMiddle64[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d55p+0,   0x1.5ffcfe5b6cd7ap-8,
    -0x1.ebadabba02386p-9,  0x1.468eeca942caap-9,   -0x1.ba9240d897738p-10,
    0x1.f3cc545e57feep-11,  -0x1.7448bcc19144bp-12, 0x1.932e8ebc2c2f0p-16,
    0x1.1e6abb0331578p-14,  -0x1.8cf45f937a996p-15, 0x1.a241e7308db29p-17,
    0x1.8999a93dcd6abp-19,  -0x1.0b7a9908b3db4p-18, 0x1.8dbb915d70cffp-20,
    -0x1.d95540b92055fp-26, -0x1.07b879503b9d9p-22, 0x1.1a74683e2968ep-23,
    -0x1.65b0c07c8a290p-26, -0x1.06917f5e72280p-26, 0x1.06b8bf8b9a49cp-27,
};
// erf_inv(x) / x = p(sqrt(w) - 5), w = -log(1 - x^2), 16 <= w <= 37; error 2^-60.17.
inline constexpr double kErfInvTail64[] = {
    0x1.3664ddd1ad7fbp+2,   0x1.02a30d1fba10bp+0,   -0x1.22ea5df1ccf57p-13,
    -0x1.c2f36aa169014p-13, 0x1.3ebf4efb58e20p-14,  -0x1.4a34903c20a2bp-16,
    0x1.2fbcfd5b27a16p-18,  -0x1.0a9037cfca4ffp-20, 0x1.ebe33b4653a30p-23,
    -0x1.223734543f4a9p-24, 0x1.f2868efc73f0dp-26,  -0x1.05710db992a65p-26,
    0x1.0cc848e42b552p-27,  -0x1.e4d27c5ff3e25p-29, 0x1.69674596bde32p-30,
    -0x1.a959067373bb8p-32, 0x1.34ef1a773ef00p-34,  0x1.38c1134a27f4cp-36,
    -0x1.696f244f065adp-36, 0x1.70b2f35fdadf7p-38,
};
// erf a piecewise, 0 <= a <= 3.925; error 2^-26.29.
inline constexpr Pieces<16, 6> kErfPieces32 = {
    0x1.20dd760000000p+0,
    0x1.8000000000000p+0,
    3,
    0x1.f666660000000p+1,
    {{0x1.e05fec0000000p-2, 0x1.4e38880000000p-1, 0x1.946ee60000000p-1,
      0x1.c3fe980000000p-1, 0x1.e139000000000p-1, 0x1.f184860000000p-1,
      0x1.f9c2600000000p-1, 0x1.fd8a760000000p-1, 0x1.ff1d6e0000000p-1,
      0x1.ffe9ba0000000p-1, 0x1.fffe7e0000000p-1, 0x1.ffffee0000000p-1, 0x0.0p+0,
      0x1.fde9cc0000000p-4, 0x1.f7be8c0000000p-3, 0x1.7251b60000000p-2},
     {0x1.a4b9100000000p-1, 0x1.4928700000000p-1, 0x1.d2e1760000000p-2,
      0x1.2c26d60000000p-2, 0x1.5dd6ee0000000p-3, 0x1.719fbc0000000p-4,
      0x1.6202480000000p-5, 0x1.33592e0000000p-6, 0x1.e3b3540000000p-8,
      0x1.be2aba0000000p-11, 0x1.15cf820000000p-14, 0x1.d383840000000p-19,
      0x1.fffffe0000000p-1, 0x1.f9c1540000000p-1, 0x1.e779600000000p-1,
      0x1.ca76560000000p-1},
     {-0x1.4a67c00000000p-2, -0x1.83c38e0000000p-2, -0x1.6eb0640000000p-2,
      -0x1.26afa60000000p-2, -0x1.9c2c460000000p-3, -0x1.fc10480000000p-4,
      -0x1.160c9a0000000p-4, -0x1.0f8ecc0000000p-5, -0x1.d9e7260000000p-7,
      -0x1.053e9e0000000p-9, -0x1.79691c0000000p-13, -0x1.6accc40000000p-17,
      0x1.9c437e0000000p-24, -0x1.8d37120000000p-4, -0x1.7edba20000000p-3,
      -0x1.0e0df60000000p-2},
     {-0x1.0cb4c20000000p-3, -0x1.461cc80000000p-6, 0x1.172b200000000p-4,
      0x1.ca17820000000p-4, 0x1.d147a20000000p-4, 0x1.716ad40000000p-4,
      0x1.ea18380000000p-5, 0x1.1794480000000p-5, 0x1.125f340000000p-6,
      0x1.6f64c80000000p-9, 0x1.340ea80000000p-12, 0x1.55ce580000000p-16,
      -0x1.0c169c0000000p-2, -0x1.025a180000000p-2, -0x1.cc7d440000000p-3,
      -0x1.76331c0000000p-3},
     {0x1.d60b220000000p-4, 0x1.b88ca80000000p-4, 0x1.121c400000000p-4,
      0x1.32a4120000000p-6, -0x1.090a980000000p-6, -0x1.f83ca00000000p-6,
      -0x1.e5e2100000000p-6, -0x1.5e78560000000p-6, -0x1.81066e0000000p-7,
      -0x1.38c8060000000p-9, -0x1.2b692a0000000p-12, -0x1.82a3380000000p-16,
      0x1.d077c60000000p-14, 0x1.3a747e0000000p-5, 0x1.26e41e0000000p-4,
      0x1.8dda580000000p-4},
     {-0x1.03c94a0000000p-8, -0x1.f7a58c0000000p-6, -0x1.34c1d80000000p-5,
      -0x1.cb0bd80000000p-6, -0x1.92b00e0000000p-7, 0x1.3c08220000000p-12,
      0x1.9bb8c20000000p-8, 0x1.c5b9880000000p-8, 0x1.062a1c0000000p-8,
      0x1.f75a240000000p-11, 0x1.0acb5a0000000p-13, 0x1.92bf3c0000000p-17,
      0x1.f32a6a0000000p-5, 0x1.b7123c0000000p-5, 0x1.49d0ea0000000p-5,
      0x1.78d0800000000p-6}}};
// erf a piecewise, 0 <= a <= 3.925; error 2^-30.58.
inline constexpr Pieces<8, 8> kErfFewPieces32 = {
    0x1.20dd760000000p+0,
    0x1.8000000000000p+0,
    2,
    0x1.f666660000000p+1,
    {{0x1.e05fec0000000p-2, 0x1.946ee60000000p-1, 0x1.e139000000000p-1,
      0x1.f9c2600000000p-1, 0x1.ff1d6e0000000p-1, 0x1.fffe7e0000000p-1, 0x0.0p+0,
      0x1.f7be8c0000000p-3},
     {0x1.a4b9220000000p-1, 0x1.d2e1700000000p-2, 0x1.5dd6cc0000000p-3,
      0x1.6202340000000p-5, 0x1.e3c7120000000p-8, 0x1.160af80000000p-14,
      0x1.fffffe0000000p-1, 0x1.e779600000000p-1},
     {-0x1.4a6ff00000000p-2, -0x1.6eaf580000000p-2, -0x1.9c24940000000p-3,
      -0x1.160a4a0000000p-4, -0x1.db024e0000000p-7, -0x1.7cf0220000000p-13,
      -0x1.4bd5120000000p-28, -0x1.7edc820000000p-3},
     {-0x1.0b7cae0000000p-3, 0x1.16ea6e0000000p-4, 0x1.d02a0a0000000p-4,
      0x1.e9baee0000000p-5, 0x1.178b980000000p-6, 0x1.457cd60000000p-12,
      -0x1.0c150c0000000p-2, -0x1.cc5c6c0000000p-3},
     {0x1.c1b9b80000000p-4, 0x1.13ac020000000p-4, -0x1.c94ea60000000p-7,
      -0x1.df6a000000000p-6, -0x1.abab5e0000000p-7, -0x1.7756d40000000p-12,
      -0x1.c6c2880000000p-18, 0x1.22b7260000000p-4},
     {0x1.ee67fe0000000p-7, -0x1.3ad9360000000p-5, -0x1.522b9e0000000p-6,
      0x1.2f66700000000p-8, 0x1.a997cc0000000p-8, 0x1.207c6e0000000p-12,
      0x1.f9ea260000000p-5, 0x1.86c23c0000000p-5},
     {-0x1.dd1d320000000p-6, -0x1.45d07a0000000p-10, 0x1.95dda20000000p-7,
      0x1.8791040000000p-9, -0x1.fc5ca60000000p-10, -0x1.0b229a0000000p-13,
      -0x1.88e9060000000p-12, -0x1.3f76dc0000000p-6},
     {0x1.a90c960000000p-8, 0x1.27df220000000p-8, -0x1.2b1b420000000p-9,
      -0x1.885be60000000p-10, 0x1.16d6700000000p-12, 0x1.bf499e0000000p-16,
      -0x1.5f3ba20000000p-7, -0x1.0c00dc0000000p-8}}};
// tanh a piecewise, 0 <= a <= 9.2; error 2^-27.7.
inline constexpr Pieces<16, 7> kTanhPieces32 = {
    0x1.0000000000000p+0,
    0x1.8000000000000p-1,
    2,
    0x1.2666660000000p+3,
    {{0x1.b2523c0000000p-1, 0x1.e1fbfa0000000p-1, 0x1.f4bfd60000000p-1,
      0x1.fbd50a0000000p-1, 0x1.fe767a0000000p-1, 0x1.ffcaac0000000p-1,
      0x1.fff8c80000000p-1, 0x1.ffff060000000p-1, 0x1.ffffde0000000p-1, 0x0.0p+0,
      0x0.0p+0, 0x1.fd59920000000p-4, 0x1.f597ea0000000p-3, 0x1.d9353e0000000p-2,
      0x1.45323e0000000p-1, 0x1.85efac0000000p-1},
     {0x1.1f25340000000p-2, 0x1.d22cba0000000p-4, 0x1.6410860000000p-5,
      0x1.09a79a0000000p-6, 0x1.88eb840000000p-8, 0x1.aa83460000000p-11,
      0x1.cdf0ae0000000p-14, 0x1.f428800000000p-17, 0x1.0e7d680000000p-19, 0x0.0p+0,
      0x1.0000000000000p+0, 0x1.f815260000000p-1, 0x1.e149a00000000p-1,
      0x1.92a9460000000p-1, 0x1.3173b20000000p-1, 0x1.ae0dc20000000p-2},
     {-0x1.e733920000000p-3, -0x1.b6dc500000000p-4, -0x1.5c3cde0000000p-5,
      -0x1.077c2a0000000p-6, -0x1.8773160000000p-8, -0x1.a9ffc20000000p-11,
      -0x1.cd8ae80000000p-14, -0x1.f3c0440000000p-17, -0x1.0bc1c80000000p-19, 0x0.0p+0,
      -0x1.dcb1fc0000000p-25, -0x1.f579580000000p-4, -0x1.d780a40000000p-3,
      -0x1.7426200000000p-2, -0x1.84035c0000000p-2, -0x1.4786da0000000p-2},
     {0x1.bcbab80000000p-4, 0x1.01f07e0000000p-4, 0x1.bbbbf80000000p-6,
      0x1.59660a0000000p-7, 0x1.0188dc0000000p-8, 0x1.19944a0000000p-11,
      0x1.3144080000000p-14, 0x1.4a90ae0000000p-17, 0x1.5308980000000p-20, 0x0.0p+0,
      -0x1.5553f80000000p-2, -0x1.40753a0000000p-2, -0x1.0726cc0000000p-2,
      -0x1.8251ac0000000p-4, 0x1.56198e0000000p-5, 0x1.a865b20000000p-4},
     {-0x1.d1d5180000000p-7, -0x1.86d2a00000000p-6, -0x1.9314ca0000000p-7,
      -0x1.4be61a0000000p-8, -0x1.e6e5160000000p-10, -0x1.0c265e0000000p-12,
      -0x1.22feba0000000p-15, -0x1.3b276c0000000p-18, -0x1.1c86260000000p-21, 0x0.0p+0,
      -0x1.75b50e0000000p-13, 0x1.45d3160000000p-4, 0x1.1ebdd20000000p-3,
      0x1.541e9a0000000p-3, 0x1.9b1f560000000p-4, 0x1.c4a13e0000000p-6},
     {-0x1.cebdca0000000p-7, 0x1.3c5a1a0000000p-8, 0x1.0229620000000p-8,
      0x1.d62e5e0000000p-10, 0x1.3abdb00000000p-11, 0x1.5de2e80000000p-14,
      0x1.7c294a0000000p-17, 0x1.9bca8c0000000p-20, 0x1.1fe22a0000000p-23, 0x0.0p+0,
      0x1.16bb560000000p-3, 0x1.e5d2760000000p-4, 0x1.227d340000000p-4,
      -0x1.2550960000000p-5, -0x1.16e0880000000p-4, -0x1.7816520000000p-5},
     {0x1.e17f260000000p-8, -0x1.5127120000000p-14, -0x1.772a2c0000000p-11,
      -0x1.8ac2620000000p-12, -0x1.a196860000000p-14, -0x1.d466560000000p-17,
      -0x1.fd88360000000p-20, -0x1.1401ca0000000p-22, -0x1.05c6540000000p-26, 0x0.0p+0,
      -0x1.456c360000000p-6, -0x1.e289d00000000p-5, -0x1.1b81360000000p-4,
      -0x1.947a800000000p-6, 0x1.a0fa780000000p-7, 0x1.2ef98a0000000p-6}}};
// tanh a piecewise, 0 <= a <= 9.2; error 2^-24.98.
inline constexpr Pieces<8, 8> kTanhFewPieces32 = {
    0x1.0000000000000p+0,
    0x1.8000000000000p-1,
    1,
    0x1.2666660000000p+3,
    {{0x1.b2523c0000000p-1, 0x1.f4bfd60000000p-1, 0x1.fe767a0000000p-1,
      0x1.fff8c80000000p-1, 0x1.ffffde0000000p-1, 0x0.0p+0, 0x1.f597ea0000000p-3,
      0x1.45323e0000000p-1},
     {0x1.1f25a60000000p-2, 0x1.6410900000000p-5, 0x1.88dec20000000p-8,
      0x1.cde0720000000p-14, 0x1.0eba140000000p-19, 0x1.0000000000000p+0,
      0x1.e149a60000000p-1, 0x1.3173ae0000000p-1},
     {-0x1.e747280000000p-3, -0x1.5c3e5c0000000p-5, -0x1.86e0ce0000000p-8,
      -0x1.cccf860000000p-14, -0x1.0e2dde0000000p-19, -0x1.def4e80000000p-25,
      -0x1.d785e20000000p-3, -0x1.8401f40000000p-2},
     {0x1.bdb9420000000p-4, 0x1.bbdf4c0000000p-6, 0x1.ff20740000000p-9,
      0x1.2eb6940000000p-14, 0x1.636ca20000000p-20, -0x1.55546e0000000p-2,
      -0x1.06f0540000000p-2, 0x1.556f1c0000000p-5},
     {-0x1.e21eee0000000p-7, -0x1.9498c20000000p-7, -0x1.dd1cb60000000p-10,
      -0x1.1c7c400000000p-15, -0x1.4f50440000000p-21, -0x1.4ab48c0000000p-14,
      0x1.1a9fee0000000p-3, 0x1.9d2fc00000000p-4},
     {-0x1.db40620000000p-7, 0x1.0aae560000000p-8, 0x1.38a8560000000p-11,
      0x1.77cf040000000p-17, 0x1.be8f400000000p-23, 0x1.12cb5c0000000p-3,
      0x1.4babb60000000p-4, -0x1.1ba56a0000000p-4},
     {0x1.3f5f860000000p-7, -0x1.d67ede0000000p-11, -0x1.00ad720000000p-13,
      -0x1.36e6fc0000000p-19, -0x1.7639f00000000p-25, -0x1.2107240000000p-8,
      -0x1.83a6120000000p-4, 0x1.987f3a0000000p-7},
     {-0x1.1297c00000000p-9, 0x1.a561ae0000000p-14, 0x1.8660140000000p-17,
      0x1.dbf98e0000000p-23, 0x1.2359c20000000p-28, -0x1.6aa9b00000000p-5,
      0x1.a7c1c60000000p-6, 0x1.a266680000000p-9}}};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_MATH_POLYNOMIALS_H_
