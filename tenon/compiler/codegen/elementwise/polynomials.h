// Minimax polynomials, constant term first, made by scripts/fit_polynomials.py. The
// number in a name is the width of the float the coefficients are rounded to.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_POLYNOMIALS_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_POLYNOMIALS_H_

namespace tenon::compiler {

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
// erf_inv(x) / x = p(w - 2.5), w = -log(1 - x^2), 0 <= w <= 5; error 2^-23.35.
inline constexpr double kErfInvCenter32[] = {
    0x1.805c5e0000000p+0,   0x1.f91ec60000000p-3,  -0x1.11ca4e0000000p-8,
    -0x1.48a6e00000000p-10, 0x1.ca712e0000000p-13, -0x1.2711400000000p-18,
    -0x1.d9a3340000000p-19, 0x1.7114b20000000p-22, 0x1.ea40200000000p-26,
};
// erf_inv(x) / x = p(sqrt(w) - 3), w = -log(1 - x^2), 5 <= w <= 17; error 2^-23.42.
inline constexpr double kErfInvTail32[] = {
    0x1.6a9efe0000000p+1,  0x1.006dba0000000p+0,  0x1.3522760000000p-7,
    -0x1.f3e98e0000000p-8, 0x1.7a42ea0000000p-8,  -0x1.de63960000000p-9,
    0x1.4f471a0000000p-10, 0x1.3e8c2c0000000p-14, -0x1.3b4f580000000p-13,
};
// erf_inv(x) / x = p(w - 3.125), w = -log(1 - x^2), 0 <= w <= 6.25; error 2^-52.77.
inline constexpr double kErfInvCenter64[] = {
    0x1.a755e7c99ae87p+0,   0x1.ebd80d9b13e23p-3,   -0x1.8b6c33114fb8ap-8,
    -0x1.845769484d9a5p-11, 0x1.879c2a2144030p-13,  -0x1.d1d1f7b9a6a12p-17,
    -0x1.6e8a5445c7efdp-20, 0x1.c6b4f5f6de03bp-22,  -0x1.f36cd3458725bp-26,
    -0x1.1a9e3e342c143p-28, 0x1.20f461494431bp-30,  -0x1.dc5759b407528p-35,
    -0x1.c881786b70fd3p-37, 0x1.729f36139eefap-39,  -0x1.6f8796312a5e3p-44,
    -0x1.6d1afecba8946p-45, 0x1.df14fe98c76c8p-48,  0x1.72c93169b4d7ap-56,
    -0x1.3558b19114f5ep-53, 0x1.9d1b28ff30ebdp-57,  0x1.8640c56c8fe97p-60,
    -0x1.8fac28e6ea263p-63, -0x1.46b22d76b6d1bp-68,
};
// erf_inv(x) / x = p(sqrt(w) - 3.25), w = -log(1 - x^2), 6.25 <= w <= 16; error 2^-53.34.
inline constexpr double kErfInvMiddle64[] = {
    0x1.8abcc380d5a47p+1,  0x1.0158a6d641d3bp+0,   0x1.5ffcfe5b7a358p-8,
    -0x1.ebadabb8a21d7p-9, 0x1.468eeca3e4c64p-9,   -0x1.ba92412fce78bp-10,
    0x1.f3cc560d02ed1p-11, -0x1.7448a929c4017p-12, 0x1.932c67b897ba6p-16,
    0x1.1e6859bba5e6ep-14, -0x1.8cee05f9ccd9ap-15, 0x1.a298bbdcfbe5dp-17,
    0x1.882bba4883b9dp-19, -0x1.0d58bf496b48dp-18, 0x1.941e0b847c4ccp-20,
    0x1.345ef2454736fp-26, -0x1.2a39da728b494p-22, 0x1.864f823d1f3cdp-24,
    0x1.bb9f257890583p-29,
};
// erf_inv(x) / x = p(sqrt(w) - 5), w = -log(1 - x^2), 16 <= w <= 37; error 2^-53.96.
inline constexpr double kErfInvTail64[] = {
    0x1.3664ddd1ad7fbp+2,   0x1.02a30d1fba107p+0,   -0x1.22ea5df059c3ep-13,
    -0x1.c2f36a9fa1d9dp-13, 0x1.3ebf4eb3c6461p-14,  -0x1.4a34910b23caap-16,
    0x1.2fbd280cc6d9ep-18,  -0x1.0a8fe8cabd169p-20, 0x1.ebc997ed73bffp-23,
    -0x1.2245c3b4ed9acp-24, 0x1.f4b2d7f024c02p-26,  -0x1.0521438b75145p-26,
    0x1.05d2b90b5af9dp-27,  -0x1.e584015614602p-29, 0x1.9d9f81370f182p-30,
    -0x1.b9d22ffbb4ce6p-32, -0x1.cef3c8de04a21p-36, 0x1.2e0e0de515612p-35,
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_POLYNOMIALS_H_
