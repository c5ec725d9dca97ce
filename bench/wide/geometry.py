"""Point sets, meshes, clustering, cameras."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, normal, program, uniform


@program(lambda: (normal(3000, 3), normal(10, 3, seed=1)))
def k_means_lloyd(x, centres):
    def step(c, _):
        d = jnp.sum((x[:, None] - c) ** 2, -1)
        label = jnp.argmin(d, 1)
        one = jax.nn.one_hot(label, 10)
        c = (one.T @ x) / jnp.maximum(one.sum(0)[:, None], 1)
        return c, jnp.sum(jnp.min(d, 1))
    return lax.scan(step, centres, None, length=5)


@program(lambda: (normal(2000, 8), normal(10, 8, seed=1)))
def k_means_segment_sum(x, centres):
    def step(_, c):
        label = jnp.argmin(jax.vmap(lambda p: jnp.sum((p - c) ** 2, 1))(x), 1)
        count = jax.ops.segment_sum(jnp.ones(2000), label, 10)
        return jax.ops.segment_sum(x, label, 10) / jnp.maximum(count, 1)[:, None]
    return lax.fori_loop(0, 5, step, centres)


@program(lambda: (normal(300, 16), normal(1000, 16, seed=1), integers(1000, high=5)))
def nearest_neighbours_classifier(queries, points, labels):
    d = jnp.sum(queries ** 2, 1)[:, None] - 2 * queries @ points.T + jnp.sum(points ** 2, 1)
    near, index = lax.top_k(-d, 7)
    votes = jax.nn.one_hot(labels[index], 5).sum(1)
    return -near, jnp.argmax(votes, 1).astype(jnp.int32)


@program(lambda: (normal(300, 3), normal(3, seed=1, scale=0.1)))
def iterative_closest_point(target, shift):
    c, s = jnp.cos(0.1), jnp.sin(0.1)
    source = target @ jnp.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]) + shift

    def step(source, _):
        d = jnp.sum((source[:, None] - target) ** 2, -1)
        match = target[jnp.argmin(d, 1)]
        a, b = source - source.mean(0), match - match.mean(0)
        u, _, vt = jnp.linalg.svd(a.T @ b)
        return a @ (u @ vt) + match.mean(0), jnp.mean(jnp.min(d, 1))
    return lax.scan(step, source, None, length=4)[1]


@program(lambda: (normal(2000, 3), integers(4000, 3, high=2000)))
def mesh_vertex_normals_and_area(v, f):
    a, b, c = v[f[:, 0]], v[f[:, 1]], v[f[:, 2]]
    n = jnp.cross(b - a, c - a)
    total = jnp.zeros_like(v).at[f].add(n[:, None])
    area = 0.5 * jnp.sum(jnp.linalg.norm(n, axis=1))
    return total / (jnp.linalg.norm(total, axis=1, keepdims=True) + 1e-6), area


@program(lambda: (normal(1000, 3), integers(6000, 2, high=1000)))
def laplacian_mesh_smoothing(v, e):
    degree = jnp.zeros(1000).at[e].add(1.0)

    def step(_, v):
        total = jnp.zeros_like(v).at[e[:, 0]].add(v[e[:, 1]]).at[e[:, 1]].add(v[e[:, 0]])
        return 0.5 * v + 0.5 * total / jnp.maximum(degree, 1)[:, None]
    return lax.fori_loop(0, 10, step, v)


@program(lambda: (uniform(40, 2), uniform(3000, 2, seed=1)))
def points_in_polygon(polygon, points):
    centre = polygon.mean(0)
    angle = jnp.arctan2(*(polygon - centre).T)
    a = polygon[jnp.argsort(angle)]
    b = jnp.roll(a, -1, 0)
    x, y = points[:, :1], points[:, 1:]
    crosses = (a[:, 1] > y) != (b[:, 1] > y)
    at = (b[:, 0] - a[:, 0]) * (y - a[:, 1]) / (b[:, 1] - a[:, 1]) + a[:, 0]
    return jnp.sum(crosses & (x < at), 1) % 2 == 1


@program(lambda: (normal(500, 3), normal(400, 3, seed=1)))
def chamfer_distance_gradient(a, b):
    def loss(a):
        d = jnp.sum((a[:, None] - b) ** 2, -1)
        return jnp.mean(jnp.min(d, 0)) + jnp.mean(jnp.min(d, 1))
    return jax.value_and_grad(loss)(a)


@program(lambda: (normal(2048, 3),))
def farthest_point_sampling(x):
    def step(state, _):
        d, last = state
        d = jnp.minimum(d, jnp.sum((x - x[last]) ** 2, 1))
        far = jnp.argmax(d).astype(jnp.int32)
        return (d, far), far
    return lax.scan(step, (jnp.full(2048, jnp.inf), jnp.int32(0)), None, length=64)[1]


@program(lambda: (normal(6), normal(200, 3, seed=1), normal(200, 2, seed=2)))
def camera_pose_gauss_newton(pose, points, seen):
    def rotate(w, p):
        t = jnp.sqrt(w @ w + 1e-12)
        k = w / t
        return (p * jnp.cos(t) + jnp.cross(k, p) * jnp.sin(t)
                + k * (p @ k)[:, None] * (1 - jnp.cos(t)))

    def residual(pose):
        q = rotate(pose[:3], points) + pose[3:] + jnp.array([0.0, 0.0, 8.0])
        return (q[:, :2] / q[:, 2:] - 0.1 * seen).ravel()

    def step(_, pose):
        r, j = residual(pose), jax.jacfwd(residual)(pose)
        return pose - jnp.linalg.solve(j.T @ j + 0.1 * jnp.eye(6), j.T @ r)
    return lax.fori_loop(0, 5, step, 0.1 * pose)


@program(lambda: (normal(400, 3), normal(100, 3, 3, seed=1)), flips=0.01)
def ray_triangle_intersection(directions, triangles):
    a = triangles[:, 0]
    e1, e2 = triangles[:, 1] - a, triangles[:, 2] - a

    def hit(d):
        p = jnp.cross(d, e2)
        det = jnp.sum(e1 * p, 1)
        inverse = 1 / jnp.where(jnp.abs(det) < 1e-3, 1.0, det)
        u = -jnp.sum(a * p, 1) * inverse
        q = jnp.cross(-a, e1)
        v, t = (q @ d) * inverse, jnp.sum(e2 * q, 1) * inverse
        inside = (jnp.abs(det) >= 1e-3) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
        return jnp.min(jnp.where(inside, t, 100.0))
    return jax.vmap(hit)(directions)


@program(lambda: (uniform(32, 32, 32, low=-1),))
def marching_cubes_cases_and_area(field):
    case = sum((field[i:31 + i, j:31 + j, k:31 + k] > 0).astype(jnp.int32) << (4 * i + 2 * j + k)
               for i in (0, 1) for j in (0, 1) for k in (0, 1))
    gradient = jnp.stack(jnp.gradient(field), -1)
    normals = gradient / (jnp.linalg.norm(gradient, axis=-1, keepdims=True) + 1e-6)
    return jnp.bincount(case.ravel(), length=256), normals


@program(lambda: (uniform(60_000, 3),))
def voxel_grid_means(points):
    cell = jnp.clip((points * 24).astype(jnp.int32), 0, 23)
    flat = (cell[:, 0] * 24 + cell[:, 1]) * 24 + cell[:, 2]
    count = jnp.zeros(24 ** 3, jnp.int32).at[flat].add(1)
    total = jax.ops.segment_sum(points, flat, 24 ** 3)
    return count, total / jnp.maximum(count, 1)[:, None]


@program(lambda: (normal(20_000, 2), normal(20_000, 3, seed=1)))
def path_lengths_and_areas(polygon, path):
    """Differences of neighbouring points: one array of short rows read at two offsets."""
    steps = jnp.diff(path, axis=0)
    area = polygon[1:, 0] * polygon[:-1, 1] - polygon[1:, 1] * polygon[:-1, 0]
    turns = jnp.cross(path[1:-1] - path[:-2], path[2:] - path[1:-1])
    return jnp.linalg.norm(steps, axis=-1), jnp.cumsum(area) / 2, turns
