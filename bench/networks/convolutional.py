"""ResNet-50 (He et al. 2015; strides in the 3x3 convolutions), MobileNetV2 (Sandler et al. 2018)."""


def resnet50(o, x):
    x = o.conv("stem", x, features=64, size=7, stride=2, norm=True, activation="relu")
    x = o.max_pool("pool", x, size=3, stride=2)
    for stage, (blocks, width) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512))):
        for block in range(blocks):
            name, stride = f"stage{stage}.{block}", 2 if stage and not block else 1
            shortcut = x if block else o.conv(f"{name}.shortcut", x, features=4 * width, size=1,
                                              stride=stride, norm=True)
            x = o.conv(f"{name}.a", x, features=width, size=1, norm=True, activation="relu")
            x = o.conv(f"{name}.b", x, features=width, size=3, stride=stride, norm=True,
                       activation="relu")
            x = o.conv(f"{name}.c", x, shortcut, features=4 * width, size=1, norm=True,
                       activation="relu")
    return o.dense("head", o.global_mean(x), features=1000)


def mobilenet_v2(o, x):
    x = o.conv("stem", x, features=32, size=3, stride=2, norm=True, activation="relu6")
    inputs = 32
    settings = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                (6, 160, 3, 2), (6, 320, 1, 1))
    for stage, (expansion, features, blocks, first_stride) in enumerate(settings):
        for block in range(blocks):
            name, stride = f"stage{stage}.{block}", 1 if block else first_stride
            hidden = expansion * inputs
            y = x
            if expansion > 1:
                y = o.conv(f"{name}.expand", y, features=hidden, size=1, norm=True,
                           activation="relu6")
            y = o.conv(f"{name}.depthwise", y, features=hidden, size=3, stride=stride,
                       groups=hidden, norm=True, activation="relu6")
            skip = [x] if stride == 1 and inputs == features else []
            x = o.conv(f"{name}.project", y, *skip, features=features, size=1, norm=True)
            inputs = features
    x = o.conv("last", x, features=1280, size=1, norm=True, activation="relu6")
    return o.dense("head", o.global_mean(x), features=1000)
