"""Rendering: signed distances, rasterising, fractals, noise, volume rendering."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, key, normal, program, uniform, weights


def normalise(v):
    return v / jnp.linalg.norm(v, axis=-1, keepdims=True)


def scene(p):
    sphere = jnp.linalg.norm(p - jnp.array([0.0, 0.3, 3.0])) - 0.8
    q = jnp.abs(p - jnp.array([0.9, -0.2, 2.5])) - 0.35
    box = jnp.sqrt(jnp.sum(jnp.maximum(q, 0) ** 2) + 1e-6) + jnp.minimum(jnp.max(q), 0.0)
    ground = p[1] + 0.8
    h = jnp.clip(0.5 + 0.5 * (box - sphere) / 0.3, 0, 1)
    blend = box + h * (sphere - box) - 0.3 * h * (1 - h)
    return jnp.minimum(blend, ground)


def camera_rays(n):
    x, y = jnp.meshgrid(jnp.linspace(-1, 1, n), jnp.linspace(1, -1, n))
    return normalise(jnp.stack([x, y, jnp.full_like(x, 1.5)], -1)).reshape(-1, 3)


@program(lambda: (uniform(3, low=-0.1, high=0.1),), flips=0.02)
def ray_march_depth(origin):
    def march(ray):
        return lax.fori_loop(0, 40, lambda i, t: t + scene(origin + t * ray), jnp.zeros(()))
    return jax.vmap(march)(camera_rays(64))


@program(lambda: (uniform(3, low=-0.1, high=0.1),), flips=0.03)
def ray_march_shaded(origin):
    """Normals by jax.grad of the distance, soft shadows by a second march."""
    light = normalise(jnp.array([0.5, 1.0, -0.6]))

    def shade(ray):
        t = lax.fori_loop(0, 30, lambda i, t: t + scene(origin + t * ray), jnp.zeros(()))
        p = origin + t * ray
        normal = normalise(jax.grad(scene)(p))

        def shadow(_, state):
            s, res = state
            d = scene(p + 0.02 * normal + s * light)
            return s + jnp.clip(d, 0.02, 0.2), jnp.minimum(res, 8 * d / s)
        _, lit = lax.fori_loop(0, 12, shadow, (jnp.full((), 0.05), jnp.ones(())))
        colour = jnp.array([0.8, 0.6, 0.4]) * jnp.clip(normal @ light, 0, 1) * jnp.clip(lit, 0, 1)
        return jnp.where(t < 10, colour, 0.1)
    return jax.vmap(shade)(camera_rays(48))


@program(lambda: (normal(120, 3, 2, scale=0.6), uniform(120, 3, seed=1)), flips=0.01)
def rasterise_triangles(triangles, depth):
    x, y = jnp.meshgrid(jnp.linspace(-1, 1, 96), jnp.linspace(-1, 1, 96))
    pixels = jnp.stack([x, y], -1)

    def edge(a, b, p):
        return (b[0] - a[0]) * (p[..., 1] - a[1]) - (b[1] - a[1]) * (p[..., 0] - a[0])

    def draw(image, triangle):
        (a, b, c), z = triangle
        buffer, ids, i = image
        area = edge(a, b, c)
        w = jnp.stack([edge(b, c, pixels), edge(c, a, pixels), edge(a, b, pixels)], -1) / area
        inside = jnp.all(w >= 0, -1)
        d = w @ z
        closer = inside & (d < buffer)
        return (jnp.where(closer, d, buffer), jnp.where(closer, i, ids), i + 1), None
    start = (jnp.full((96, 96), 10.0), jnp.full((96, 96), -1, jnp.int32), jnp.int32(0))
    return lax.scan(draw, start, (triangles, depth))[0][:2]


@program(lambda: (uniform(2, low=-0.01, high=0.01),), flips=0.02)
def mandelbrot(shift):
    x, y = jnp.meshgrid(jnp.linspace(-2, 0.6, 200), jnp.linspace(-1.2, 1.2, 160))
    c = x + shift[0] + 1j * (y + shift[1])

    def step(state, _):
        z, count = state
        z = jnp.where(jnp.abs(z) < 2, z * z + c, z)
        return (z, count + (jnp.abs(z) < 2)), None
    (_, count), _ = lax.scan(step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)), None,
                             length=30)
    return count


@program(lambda: (uniform(64, 64, low=-1.5, high=1.5), uniform(64, 64, low=-1, seed=1)), flips=0.05)
def julia_while_escape(x, y):
    def escape(a, b):
        def body(s):
            a, b, n = s
            return a * a - b * b - 0.8, 2 * a * b + 0.156, n + 1
        return lax.while_loop(lambda s: (s[0] ** 2 + s[1] ** 2 < 4) & (s[2] < 100), body,
                              (a, b, 0))[2].astype(jnp.int32)
    return jax.vmap(jax.vmap(escape))(x, y)


@program(lambda: (integers(256, high=256), uniform(2, seed=1)))
def perlin_noise_octaves(permutation, offset):
    x, y = jnp.meshgrid(jnp.linspace(0, 4, 128), jnp.linspace(0, 4, 128))

    def fade(t):
        return t ** 3 * (t * (t * 6 - 15) + 10)

    def gradient(h, dx, dy):
        angle = 2 * jnp.pi * h / 256
        return jnp.cos(angle) * dx + jnp.sin(angle) * dy

    def noise(x, y):
        xi, yi = jnp.floor(x).astype(jnp.int32), jnp.floor(y).astype(jnp.int32)
        xf, yf = x - jnp.floor(x), y - jnp.floor(y)

        def corner(i, j):
            h = permutation[(permutation[(xi + i) % 256] + yi + j) % 256]
            return gradient(h, xf - i, yf - j)
        u, v = fade(xf), fade(yf)
        top = corner(0, 0) * (1 - u) + corner(1, 0) * u
        bottom = corner(0, 1) * (1 - u) + corner(1, 1) * u
        return top * (1 - v) + bottom * v
    return sum(0.5 ** k * noise(2 ** k * x + offset[0], 2 ** k * y + offset[1]) for k in range(4))


@program(lambda: (normal(96, 96, 3), normal(96, 96, 3, seed=1), uniform(96, 96, 3, seed=2)))
def phong_shading(normals, positions, albedo):
    n = normalise(normals)
    lights = jnp.array([[2.0, 3.0, -1.0], [-3.0, 1.0, 2.0], [0.0, 5.0, 0.0]])

    def contribution(light):
        to_light = light - positions
        distance = jnp.linalg.norm(to_light, axis=-1, keepdims=True)
        direction = to_light / distance
        diffuse = jnp.maximum(jnp.sum(n * direction, -1, keepdims=True), 0)
        reflected = 2 * jnp.sum(n * direction, -1, keepdims=True) * n - direction
        view = normalise(-positions)
        specular = jnp.maximum(jnp.sum(reflected * view, -1, keepdims=True), 0) ** 16
        return (albedo * diffuse + specular) / (1 + 0.1 * distance ** 2)
    colour = jax.vmap(contribution)(lights).sum(0)
    return jnp.clip(colour, 1e-3, 1) ** (1 / 2.2)


@program(lambda: (normal(256, 3), normal(256, 3, seed=1), uniform(256, 48, seed=2),
                  weights(63, 64, seed=3), weights(64, 64, seed=4), weights(64, 4, seed=5)))
def nerf_volume_rendering(origins, directions, jitter, w1, w2, w3):
    t = jnp.linspace(2.0, 6.0, 48) + jitter * 4 / 48
    points = origins[:, None] + t[..., None] * normalise(directions)[:, None]
    bands = 2.0 ** jnp.arange(10)
    angles = (points[..., None, :] * bands[:, None]).reshape(*points.shape[:-1], 30)
    encoded = jnp.concatenate([points, jnp.sin(angles), jnp.cos(angles)], -1)
    h = jax.nn.relu(jax.nn.relu(encoded @ w1) @ w2) @ w3
    colour, density = jax.nn.sigmoid(h[..., :3]), jax.nn.relu(h[..., 3])
    gaps = jnp.concatenate([jnp.diff(t, axis=1), jnp.full((256, 1), 1e10)], 1)
    alpha = 1 - jnp.exp(-density * gaps)
    transmittance = jnp.cumprod(1 - alpha + 1e-10, axis=1)
    w = alpha * jnp.concatenate([jnp.ones((256, 1)), transmittance[:, :-1]], 1)
    return jnp.sum(w[..., None] * colour, 1), jnp.sum(w * t, 1)


@program(lambda: (uniform(40, 4, 2), uniform(200, seed=1)))
def bezier_distance_field(curves, t):
    mt = 1 - t
    basis = jnp.stack([mt ** 3, 3 * mt ** 2 * t, 3 * mt * t ** 2, t ** 3])
    points = jnp.einsum("kt,ckd->ctd", basis, curves).reshape(-1, 2)[::40]
    x, y = jnp.meshgrid(jnp.linspace(0, 1, 64), jnp.linspace(0, 1, 64))
    grid = jnp.stack([x, y], -1).reshape(-1, 1, 2)
    return jnp.sqrt(jnp.min(jnp.sum((grid - points) ** 2, -1), axis=1)).reshape(64, 64)


@program(lambda: (uniform(128, 128, 3), uniform(100, 100, 2, seed=1)))
def texture_bilinear_gradient(texture, uv):
    """Gradient with respect to the texture and the coordinates of a bilinear look-up."""
    def sample(texture, uv):
        p = uv * 126
        base = jnp.floor(p).astype(jnp.int32)
        f = p - base
        i, j = base[..., 0], base[..., 1]
        fu, fv = f[..., 0:1], f[..., 1:2]
        return ((texture[i, j] * (1 - fu) + texture[i + 1, j] * fu) * (1 - fv)
                + (texture[i, j + 1] * (1 - fu) + texture[i + 1, j + 1] * fu) * fv)
    return jax.grad(lambda t, uv: jnp.sum(sample(t, uv) ** 2), (0, 1))(texture, uv)


@program(lambda: (key(5),), flips=0.05)
def path_tracer_bounces(rng):
    centres = jnp.array([[0.0, 0.0, 3.0], [1.2, 0.3, 2.5], [-1.1, -0.2, 2.2], [0, -101.0, 3]])
    radii = jnp.array([0.8, 0.4, 0.5, 100.0])
    albedo = jnp.array([[0.9, 0.2, 0.2], [0.2, 0.9, 0.2], [0.3, 0.3, 0.9], [0.7, 0.7, 0.7]])

    def trace(ray, rng):
        def bounce(state, k):
            o, d, throughput, light = state
            oc = o - centres
            b = oc @ d
            disc = b * b - (jnp.sum(oc * oc, -1) - radii ** 2)
            t = -b - jnp.sqrt(jnp.maximum(disc, 0))
            t = jnp.where((disc > 0) & (t > 1e-3), t, jnp.inf)
            i = jnp.argmin(t)
            hit = jnp.isfinite(t[i])
            p = o + jnp.where(hit, t[i], 0) * d
            n = (p - centres[i]) / radii[i]
            g = normalise(n + 0.99 * normalise(jax.random.normal(k, (3,), jnp.float32)))
            sky = 0.5 + 0.5 * d[1]
            light = light + jnp.where(hit, 0, sky) * throughput
            throughput = throughput * jnp.where(hit, albedo[i], 0)
            return (p, jnp.where(hit, g, d), throughput, light), None
        start = (jnp.zeros(3), ray, jnp.ones(3), jnp.zeros(3))
        return lax.scan(bounce, start, jax.random.split(rng, 3))[0][3]
    return jax.vmap(trace)(camera_rays(40), jax.random.split(rng, 1600))
