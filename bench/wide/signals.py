"""Signal processing: filters, transforms, spectra, resampling."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import complex_normal, normal, program, uniform


def frames(x, size, hop):
    starts = jnp.arange((x.shape[0] - size) // hop + 1) * hop
    return x[starts[:, None] + jnp.arange(size)]


@program(lambda: (normal(16000), normal(101, seed=1)))
def fir_filter_convolve(x, taps):
    return jnp.convolve(x, taps / jnp.sum(jnp.abs(taps)), mode="same")


@program(lambda: (normal(8, 4000),))
def biquad_cascade(x):
    """Direct form II transposed, two sections, eight channels."""
    b = jnp.array([[0.2, 0.4, 0.2], [0.1, 0.0, -0.1]])
    a = jnp.array([[-0.5, 0.2], [-1.2, 0.6]])

    def section(x, coefficients):
        b, a = coefficients

        def step(z, u):
            y = b[0] * u + z[0]
            return (b[1] * u - a[0] * y + z[1], b[2] * u - a[1] * y), y
        zero = jnp.zeros_like(x[0])
        return lax.scan(step, (zero, zero), x)[1]
    y = x.T
    for i in range(2):
        y = section(y, (b[i], a[i]))
    return y.T


@program(lambda: (normal(16000),))
def stft_istft_round_trip(x):
    window = jnp.hanning(512)
    spectrum = jnp.fft.rfft(frames(x, 512, 128) * window)
    gate = jnp.abs(spectrum) > 1.0
    pieces = jnp.fft.irfft(jnp.where(gate, spectrum, 0)) * window
    at = (jnp.arange(pieces.shape[0]) * 128)[:, None] + jnp.arange(512)
    out = jnp.zeros_like(x).at[at].add(pieces)
    norm = jnp.zeros_like(x).at[at].add(jnp.broadcast_to(window ** 2, pieces.shape))
    return out / jnp.maximum(norm, 1e-3)


@program(lambda: (normal(16000), uniform(201, 40, seed=1)))
def mel_spectrogram_400(x, filters):
    """Windows of 400 samples, hop 160, as speech recognisers use."""
    n = jnp.arange(400)
    window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * n / 400)
    power = jnp.abs(jnp.fft.rfft(frames(x, 400, 160) * window)) ** 2
    mel = jnp.log10(jnp.maximum(power @ filters, 1e-10))
    return (jnp.maximum(mel, mel.max() - 8) + 4) / 4


@program(lambda: (normal(128, 128),))
def haar_wavelet_denoise(image):
    def analyse(x):
        low, high = (x[0::2] + x[1::2]) / 2 ** 0.5, (x[0::2] - x[1::2]) / 2 ** 0.5
        return low, high

    def synthesise(low, high):
        out = jnp.stack([(low + high) / 2 ** 0.5, (low - high) / 2 ** 0.5], 1)
        return out.reshape(-1, *low.shape[1:])

    def soft(c):
        return jnp.sign(c) * jnp.maximum(jnp.abs(c) - 0.5, 0)

    def recurse(x, level):
        if level == 0:
            return x
        low, high = analyse(x)
        ll, lh = (y.T for y in analyse(low.T))
        hl, hh = (y.T for y in analyse(high.T))
        ll = recurse(ll, level - 1)
        low = synthesise(ll.T, soft(lh).T).T
        high = synthesise(soft(hl).T, soft(hh).T).T
        return synthesise(low, high)
    return recurse(image, 4)


@program(lambda: (normal(4096),))
def daubechies4_transform(x):
    h = jnp.array([0.48296291, 0.83651630, 0.22414387, -0.12940952])
    g = h[::-1] * jnp.array([1.0, -1.0, 1.0, -1.0])
    out = []
    for _ in range(5):
        taps = jnp.stack([jnp.roll(x, -k)[::2] for k in range(4)])
        out.append(g @ taps)
        x = h @ taps
    return jnp.concatenate([x, *out[::-1]])


@program(lambda: (normal(4410),))
def resample_linear(x):
    t = jnp.arange(1600) * 441 / 160
    return jnp.interp(t, jnp.arange(4410), x)


@program(lambda: (normal(1, 4000), normal(96, seed=1)))
def resample_polyphase_3_2(x, taps):
    up = lax.conv_general_dilated(x[:, None], taps[None, None], (1,), [(95, 95)],
                                  lhs_dilation=(3,))
    return up[:, 0, ::2]


@program(lambda: (normal(16, 1000),))
def hilbert_envelope(x):
    n = 1000
    h = jnp.zeros(n).at[0].set(1).at[n // 2].set(1).at[1:n // 2].set(2)
    analytic = jnp.fft.ifft(jnp.fft.fft(x) * h)
    return jnp.abs(analytic), jnp.unwrap(jnp.angle(analytic[:, :50] + 10))


@program(lambda: (normal(20000), normal(3000, seed=1)))
def reverb_fft_convolution(x, impulse):
    return jax.scipy.signal.fftconvolve(x, impulse * jnp.exp(-jnp.arange(3000) / 500))


@program(lambda: (normal(8000),))
def goertzel_tones(x):
    """DTMF detection: eight Goertzel recurrences over blocks of 205 samples."""
    tones = jnp.array([697.0, 770, 852, 941, 1209, 1336, 1477, 1633])
    c = 2 * jnp.cos(2 * jnp.pi * jnp.round(205 * tones / 8000) / 205)
    blocks = x[:205 * 39].reshape(39, 205)

    def power(block):
        def step(s, v):
            s1, s2 = s
            return (v + c * s1 - s2, s1), None
        (s1, s2), _ = lax.scan(step, (jnp.zeros(8), jnp.zeros(8)), block)
        return s1 ** 2 + s2 ** 2 - c * s1 * s2
    return jax.vmap(power)(blocks)


@program(lambda: (normal(5000),))
def median_filter_1d(x):
    return jnp.median(frames(jnp.pad(x, 4, mode="reflect"), 9, 1), axis=1)


@program(lambda: (normal(3000), normal(3000, seed=1)))
def lms_adaptive_filter(x, desired):
    def step(w, inputs):
        u, d = inputs
        e = d - w @ u
        return w + 0.5 * e * u / (1e-2 + u @ u), e
    return lax.scan(step, jnp.zeros(32), (frames(jnp.pad(x, (31, 0)), 32, 1), desired))


@program(lambda: (normal(20000), normal(20000, seed=1)))
def welch_coherence(x, y):
    def spectra(z):
        f = frames(z, 250, 125)
        f = f - f.mean(1, keepdims=True)
        return jnp.fft.rfft(f * jnp.hanning(250))
    a, b = spectra(x), spectra(y)
    pxx, pyy = jnp.mean(jnp.abs(a) ** 2, 0), jnp.mean(jnp.abs(b) ** 2, 0)
    return jnp.abs(jnp.mean(a * jnp.conj(b), 0)) ** 2 / (pxx * pyy)


@program(lambda: (normal(32, 1009),))
def cepstrum_prime_length(x):
    spectrum = jnp.log(jnp.abs(jnp.fft.fft(x)) + 1)
    return jnp.real(jnp.fft.ifft(spectrum))


@program(lambda: (complex_normal(64, 378),))
def irfft_odd_length(x):
    return jnp.fft.irfft(x, n=755)


@program(lambda: (complex_normal(600),))
def chirp_z_zoom(x):
    n = jnp.arange(600)
    w = jnp.exp(-1j * jnp.pi * n ** 2 * 0.0005)
    chirp = jnp.exp(1j * jnp.pi * jnp.arange(-599, 600) ** 2 * 0.0005)
    return w * jnp.fft.ifft(jnp.fft.fft(x * w, 2048) * jnp.fft.fft(chirp, 2048))[599:1199]


@program(lambda: (normal(300, 120),))
def dct_compress(x):
    c = jax.scipy.fft.dct(x, norm="ortho")
    cut = -jnp.sort(-jnp.abs(c), axis=1)[:, 24:25]
    return jax.scipy.fft.idct(jnp.where(jnp.abs(c) >= cut, c, 0), norm="ortho")


@program(lambda: (normal(2, 5000),))
def exponential_smoothing_zero_phase(x):
    def smooth(y):
        return lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]),
                                    (jnp.full_like(y, 0.9), 0.1 * y), axis=1)[1]
    return smooth(smooth(x)[:, ::-1])[:, ::-1]


@program(lambda: (normal(400_000, scale=0.2),))
def quantise_and_code(signal):
    level = jnp.clip(jnp.round(signal * 2000), -32768, 32767).astype(jnp.int32)
    step = jnp.diff(level, prepend=0)
    return jnp.where(step < 0, -2 * step - 1, 2 * step)
