"""Image processing."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.ndimage import map_coordinates

from .registry import integers, normal, program, uniform


def convolve(image, kernel):
    """2-D correlation of an H x W image, edges repeated."""
    k = kernel.shape[0] // 2
    padded = jnp.pad(image, k, mode="edge")
    return lax.conv(padded[None, None], kernel[None, None], (1, 1), "VALID")[0, 0]


@program(lambda: (uniform(256, 256, 3),))
def gaussian_blur_separable(image):
    x = jnp.arange(-6, 7)
    k = jnp.exp(-x ** 2 / 8.0)
    k = k / k.sum()
    padded = jnp.pad(image, ((6, 6), (0, 0), (0, 0)), mode="reflect")
    rows = sum(k[i] * padded[i:i + 256] for i in range(13))
    padded = jnp.pad(rows, ((0, 0), (6, 6), (0, 0)), mode="reflect")
    return sum(k[i] * padded[:, i:i + 256] for i in range(13))


@program(lambda: (uniform(200, 200),))
def sobel_edges(image):
    kx = jnp.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    gx, gy = convolve(image, kx), convolve(image, kx.T)
    return jnp.hypot(gx, gy), jnp.arctan2(gy, gx)


@program(lambda: (uniform(160, 160),))
def morphology_open_close(image):
    def dilate(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (5, 5), (1, 1), "SAME")

    def erode(x):
        return lax.reduce_window(x, jnp.inf, lax.min, (5, 5), (1, 1), "SAME")
    return erode(dilate(dilate(erode(image)))), dilate(image) - erode(image)


@program(lambda: (integers(200, 200, high=100) < 40,))
def binary_morphology_bool(mask):
    def dilate(m):
        p = jnp.pad(m, 1)
        return p[1:-1, 1:-1] | p[2:, 1:-1] | p[:-2, 1:-1] | p[1:-1, 2:] | p[1:-1, :-2]
    m = mask
    for _ in range(3):
        m = dilate(m)
    for _ in range(3):
        m = ~dilate(~m)
    return m, m.sum()


@program(lambda: (uniform(96, 96),))
def bilateral_filter(image):
    padded = jnp.pad(image, 3, mode="reflect")
    total = weight = 0.0
    for i in range(7):
        for j in range(7):
            shifted = padded[i:i + 96, j:j + 96]
            w = jnp.exp(-((i - 3) ** 2 + (j - 3) ** 2) / 8 - (shifted - image) ** 2 / 0.02)
            total, weight = total + w * shifted, weight + w
    return total / weight


@program(lambda: (uniform(4, 128, 128, 3),))
def resize_bilinear_and_back(images):
    small = jax.image.resize(images, (4, 80, 80, 3), "bilinear")
    return jax.image.resize(small, (4, 128, 128, 3), "bicubic")


@program(lambda: (uniform(128, 128, 3),))
def resize_lanczos_gradient(image):
    return jax.grad(lambda x: jnp.sum(jax.image.resize(x, (96, 160, 3), "lanczos3") ** 2))(image)


@program(lambda: (integers(256, 256, high=200),))
def histogram_equalisation(image):
    counts = jnp.bincount(image.ravel(), length=256)
    cdf = jnp.cumsum(counts)
    low = cdf[jnp.argmax(counts > 0)]
    table = ((cdf - low) * 255 // (image.size - low)).astype(jnp.uint8)
    return table[image]


@program(lambda: (uniform(256, 256, 3),))
def hsv_round_trip(rgb):
    high, low = rgb.max(-1), rgb.min(-1)
    c = high - low
    safe = jnp.where(c == 0, 1, c)
    r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    h = jnp.select([high == r, high == g], [(g - b) / safe % 6, (b - r) / safe + 2],
                   (r - g) / safe + 4) / 6
    s = jnp.where(high == 0, 0, c / high)
    h = (h + 0.1) % 1.0
    k = (jnp.array([5.0, 3.0, 1.0]) + h[..., None] * 6) % 6
    f = jnp.clip(jnp.minimum(k, 4 - k), 0, 1)
    return high[..., None] * (1 - s[..., None] * f)


@program(lambda: (uniform(200, 200),), flips=0.01)
def canny_non_maximum(image):
    gx = jnp.gradient(image, axis=1)
    gy = jnp.gradient(image, axis=0)
    magnitude = jnp.sqrt(gx ** 2 + gy ** 2)
    sector = (jnp.round(jnp.arctan2(gy, gx) / (jnp.pi / 4)) % 4).astype(jnp.int32)
    shifts = [((0, 1), (0, -1)), ((1, 1), (-1, -1)), ((1, 0), (-1, 0)), ((1, -1), (-1, 1))]
    pairs = [jnp.maximum(jnp.roll(magnitude, a, (0, 1)), jnp.roll(magnitude, b, (0, 1)))
             for a, b in shifts]
    best = jnp.choose(sector, pairs, mode="clip")
    strong = (magnitude >= best) & (magnitude > 0.3)
    weak = (magnitude >= best) & (magnitude > 0.1)

    def grow(_, s):
        p = jnp.pad(s, 1)
        near = p[2:, 1:-1] | p[:-2, 1:-1] | p[1:-1, 2:] | p[1:-1, :-2]
        return s | (weak & near)
    return lax.fori_loop(0, 10, grow, strong)


@program(lambda: (integers(160, 160, high=256).astype("uint8"),))
def median_3x3_uint8(image):
    p = jnp.pad(image, 1, mode="edge")
    stack = jnp.stack([p[i:i + 160, j:j + 160] for i in range(3) for j in range(3)])
    return jnp.sort(stack, axis=0)[4]


@program(lambda: (uniform(160, 160),))
def harris_corners(image):
    gx, gy = jnp.gradient(image)
    box = jnp.ones((5, 5)) / 25
    a, b, c = (convolve(x, box.astype(image.dtype)) for x in (gx * gx, gy * gy, gx * gy))
    response = a * b - c * c - 0.05 * (a + b) ** 2
    peak = lax.reduce_window(response, -jnp.inf, lax.max, (7, 7), (1, 1), "SAME")
    return jnp.where(response == peak, response, 0).ravel().sort()[-50:]


@program(lambda: (uniform(400, 400),))
def box_filter_integral_image(image):
    s = jnp.pad(jnp.cumsum(jnp.cumsum(image, 0), 1), ((1, 0), (1, 0)))
    r = 15
    return (s[r:, r:] - s[:-r, r:] - s[r:, :-r] + s[:-r, :-r]) / r ** 2


@program(lambda: (uniform(160, 160),))
def rotate_map_coordinates(image):
    i, j = jnp.meshgrid(jnp.arange(160), jnp.arange(160), indexing="ij")
    c, s = jnp.cos(0.3), jnp.sin(0.3)
    y, x = i - 79.5, j - 79.5
    return map_coordinates(image, [c * y - s * x + 79.5, s * y + c * x + 79.5], order=1,
                           mode="nearest")


@program(lambda: (uniform(64, 64), uniform(64, 64, seed=1)))
def ssim_gradient(a, b):
    x = jnp.arange(-5, 6)
    k = jnp.exp(-x ** 2 / 4.5)
    kernel = jnp.outer(k, k) / k.sum() ** 2

    def ssim(a):
        f = lambda z: convolve(z, kernel.astype(z.dtype))  # noqa: E731
        ma, mb = f(a), f(b)
        va, vb, cov = f(a * a) - ma ** 2, f(b * b) - mb ** 2, f(a * b) - ma * mb
        return jnp.mean((2 * ma * mb + 1e-2) * (2 * cov + 3e-2)
                        / ((ma ** 2 + mb ** 2 + 1e-2) * (va + vb + 3e-2)))
    return jax.value_and_grad(ssim)(a)


@program(lambda: (uniform(64, 64), uniform(12, 12, seed=1)))
def template_matching_ncc(image, template):
    t = (template - template.mean())[None, None]
    ones = jnp.ones_like(t)
    x = image[None, None]
    cross = lax.conv(x, t, (1, 1), "VALID")
    total, square = lax.conv(x, ones, (1, 1), "VALID"), lax.conv(x * x, ones, (1, 1), "VALID")
    score = cross / jnp.sqrt((square - total ** 2 / 144) * jnp.sum(t * t))
    return score[0, 0], jnp.unravel_index(jnp.argmax(score), score.shape)[2:]


@program(lambda: (uniform(256, 256, high=255), uniform(8, 8, low=8, high=40, seed=1)), flips=0.001)
def jpeg_block_quantisation(image, table):
    n = jnp.arange(8)
    d = jnp.cos((2 * n[None] + 1) * n[:, None] * jnp.pi / 16) * 0.5
    d = d.at[0].multiply(0.5 ** 0.5)
    blocks = (image - 128).reshape(32, 8, 32, 8).transpose(0, 2, 1, 3)
    c = jnp.round(jnp.einsum("ij,abjk,lk->abil", d, blocks, d) / table) * table
    out = jnp.einsum("ji,abjk,kl->abil", d, c, d)
    return jnp.clip(out.transpose(0, 2, 1, 3).reshape(256, 256) + 128, 0, 255)


@program(lambda: (integers(96, 96, high=100) < 3,))
def distance_transform_chebyshev(mask):
    far = jnp.where(mask, 0, 1000)

    def step(_, d):
        return jnp.minimum(d, lax.reduce_window(d, 1000, lax.min, (3, 3), (1, 1), "SAME") + 1)
    return lax.fori_loop(0, 20, step, far)


@program(lambda: (uniform(128, 128, high=1),))
def bayer_demosaic(raw):
    i, j = jnp.indices(raw.shape)
    red, blue = (i % 2 == 0) & (j % 2 == 0), (i % 2 == 1) & (j % 2 == 1)
    green = ~(red | blue)
    k = jnp.array([[0.25, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.25]]).astype(raw.dtype)

    def fill(mask):
        m = mask.astype(raw.dtype)
        return convolve(raw * m, k) / convolve(m, k)
    return jnp.stack([fill(red), fill(green), fill(blue)], -1)


@program(lambda: (uniform(128, 128),))
def total_variation_chambolle(image):
    def gradient(u):
        return (jnp.diff(u, axis=0, append=u[-1:]), jnp.diff(u, axis=1, append=u[:, -1:]))

    def divergence(p, q):
        return (jnp.diff(p, axis=0, prepend=0) + jnp.diff(q, axis=1, prepend=0))

    def step(_, state):
        p, q = state
        gx, gy = gradient(divergence(p, q) - image / 0.1)
        norm = 1 + 0.25 * jnp.sqrt(gx ** 2 + gy ** 2)
        return (p + 0.25 * gx) / norm, (q + 0.25 * gy) / norm
    zero = jnp.zeros_like(image)
    return image - 0.1 * divergence(*lax.fori_loop(0, 20, step, (zero, zero)))


@program(lambda: (integers(512, 256, high=256).astype("uint8"),))
def mirror_bitmap(image):
    return jnp.packbits(jnp.unpackbits(image, axis=1)[:, ::-1], axis=1)


@program(lambda: tuple(integers(240, 320, high=256, seed=s).astype(jnp.uint8) for s in range(3)))
def planes_to_rgba_bytes(red, green, blue):
    """Interleaved bytes from planes, with an opaque channel, and without it."""
    opaque = jnp.full_like(red, 255)
    return (jnp.stack([red, green, blue, opaque], -1),
            jnp.stack([255 - blue, 255 - green, 255 - red], -1))
