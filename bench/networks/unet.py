"""Stable Diffusion 1's UNet (Rombach et al. 2022): one denoising step, at half its width.

The original has 320 channels at the first level and 860 million weights, which six peers cannot
hold in the memory of this project's machines. Here it has 160 channels, heads of 40 as in the
original, and 215 million weights. The sinusoids of the time are an input.
"""
WIDTH = 160
HEAD = 40
LEVELS = (1, 2, 4, 4)  # width of each; all but the last attend


def _residual_block(o, name, x, time, features):
    inputs = o.canonical_shape("image", x)[1]
    y = o.group_norm(f"{name}.norm1", x, activation="silu")
    y = o.conv(f"{name}.conv1", y, features=features, size=3)
    y = y + o.per_channel(o.dense(f"{name}.time", time, features=features))
    y = o.group_norm(f"{name}.norm2", y, activation="silu")
    if inputs != features:
        x = o.conv(f"{name}.skip", x, features=features, size=1)
    return o.conv(f"{name}.conv2", y, x, features=features, size=3)


def _attention(o, name, x, y, context, heads):
    features = x.shape[-1]
    q = o.dense(f"{name}.q", y, features=features, bias=False)
    k, v = (o.dense(f"{name}.{part}", context, features=features, bias=False) for part in "kv")
    y = o.attend(name, q, k, v, heads=heads)
    return o.dense(f"{name}.out", y, x, features=features)


def _transformer(o, name, image, context):
    features = o.canonical_shape("image", image)[1]
    heads = features // HEAD
    x = o.group_norm(f"{name}.norm", image)
    x = o.tokens(o.conv(f"{name}.in", x, features=features, size=1))
    y = o.layer_norm(f"{name}.norm1", x)
    x = _attention(o, f"{name}.self", x, y, y, heads)
    x = _attention(o, f"{name}.cross", x, o.layer_norm(f"{name}.norm2", x), context, heads)
    y = o.gated(f"{name}.gate", o.layer_norm(f"{name}.norm3", x), features=4 * features)
    x = o.dense(f"{name}.down", y, x, features=features)
    return o.conv(f"{name}.out", o.image(x, image), image, features=features, size=1)


def unet(o, x, sinusoids, context):
    time = o.dense("time1", sinusoids, features=4 * WIDTH, activation="silu")
    time = o.dense("time2", time, features=4 * WIDTH, activation="silu")
    x = o.conv("in", x, features=WIDTH, size=3)
    skips = [x]
    for level, width in enumerate(LEVELS):
        for block in range(2):
            x = _residual_block(o, f"down{level}.{block}", x, time, width * WIDTH)
            if level < 3:
                x = _transformer(o, f"down{level}.{block}.attention", x, context)
            skips.append(x)
        if level < 3:
            x = o.conv(f"down{level}.half", x, features=width * WIDTH, size=3, stride=2)
            skips.append(x)
    x = _residual_block(o, "middle1", x, time, LEVELS[-1] * WIDTH)
    x = _transformer(o, "middle.attention", x, context)
    x = _residual_block(o, "middle2", x, time, LEVELS[-1] * WIDTH)
    for level, width in reversed(list(enumerate(LEVELS))):
        for block in range(3):
            x = o.concatenate(x, skips.pop())
            x = _residual_block(o, f"up{level}.{block}", x, time, width * WIDTH)
            if level < 3:
                x = _transformer(o, f"up{level}.{block}.attention", x, context)
        if level:
            x = o.conv(f"up{level}.double", o.upsample(x), features=width * WIDTH, size=3)
    x = o.group_norm("norm", x, activation="silu")
    return o.conv("out", x, features=4, size=3)


def unet_loss(o, x, sinusoids, context, noise):
    return o.squared_error(unet(o, x, sinusoids, context), noise)
