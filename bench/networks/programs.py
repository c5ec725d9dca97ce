"""The measured programs: networks with their inputs, forward or a training step."""
import dataclasses
from typing import Callable

import numpy as np

from . import convolutional, transformers, unet


@dataclasses.dataclass
class Input:
    kind: str
    make: Callable


@dataclasses.dataclass
class Program:
    name: str
    function: Callable
    inputs: list[Input]
    trains: str = ""  # the optimiser of a training step: "sgd" or "adam"
    result: str = "array"  # kind of the first result, which is compared
    caches: bool = False  # all results but the first are new values of inputs, fed back
    note: str = ""

    @property
    def cache_inputs(self):
        """Positions of the inputs that results replace."""
        return [i for i, x in enumerate(self.inputs) if x.kind == "cache"]


PROGRAMS: dict[str, Program] = {}


def _add(name, function, *inputs, **keywords):
    PROGRAMS[name] = Program(name, function, list(inputs), **keywords)


def normal(kind, *shape, seed=0):
    return Input(kind, lambda: np.random.RandomState(seed).standard_normal(shape)
                 .astype(np.float32))


def _ids(limit, *shape, seed=0):
    return Input("ids", lambda: np.random.RandomState(seed).randint(0, limit, shape)
                 .astype(np.int32))


def _positions(batch, length, first=0):
    return Input("ids", lambda: np.tile(np.arange(first, first + length, dtype=np.int32),
                                        (batch, 1)))


def _image(batch, size=224):
    return normal("image", batch, 3, size, size)


def position(value):
    return Input("position", lambda: np.int32(value))


def _bert(batch, length):
    return (_ids(transformers.WORDS_BERT, batch, length), _positions(batch, length),
            _ids(2, batch, length, seed=1))


for _batch in (1, 8):
    _add(f"resnet50_b{_batch}", convolutional.resnet50, _image(_batch))
_add("resnet50_train_b8",
     lambda o, x, labels: o.cross_entropy(convolutional.resnet50(o, x), labels),
     _image(8), _ids(1000, 8), trains="sgd")
_add("mobilenetv2_b1", convolutional.mobilenet_v2, _image(1))
_add("mobilenetv2_train_b8",
     lambda o, x, labels: o.cross_entropy(convolutional.mobilenet_v2(o, x), labels),
     _image(8), _ids(1000, 8), trains="sgd")
_add("bert_base_1x128", transformers.bert_base, *_bert(1, 128))
_add("bert_base_train_4x128", transformers.bert_loss, *_bert(4, 128), _ids(2, 4, seed=2),
     trains="adam")
_add("gpt2_prefill_1x256", transformers.gpt2_prefill, _ids(transformers.WORDS_GPT2, 1, 256),
     _positions(1, 256))
_add("gpt2_decode_256", transformers.gpt2_decode, _ids(transformers.WORDS_GPT2, 1, 1),
     _positions(1, 1, 255), position(255),
     *(normal("cache", 1, 256, 12, 64, seed=i) for i in range(24)), caches=True)
_add("gpt2_train_2x128", transformers.gpt2_loss, _ids(transformers.WORDS_GPT2, 2, 128),
     _positions(2, 128), _ids(transformers.WORDS_GPT2, 2, 128, seed=1), trains="adam")
_add("vit_base_b1", transformers.vit_base, _image(1))
_add("vit_base_train_b4", lambda o, x, labels: o.cross_entropy(transformers.vit_base(o, x), labels),
     _image(4), _ids(1000, 4), trains="adam")
_add("whisper_tiny_encoder", transformers.whisper_encoder, normal("image", 1, 80, 3000))
_add("whisper_tiny_decode_64", transformers.whisper_decode, _ids(transformers.WORDS_WHISPER, 1, 1),
     _positions(1, 1, 63), position(63),
     *(normal("cache", 1, 64, 6, 64, seed=i) for i in range(8)),
     *(normal("array", 1, 1500, 384, seed=i) for i in range(8)), caches=True)
_add("whisper_tiny_train_64", transformers.whisper_loss, normal("image", 1, 80, 3000),
     _ids(transformers.WORDS_WHISPER, 1, 64), _positions(1, 64),
     _ids(transformers.WORDS_WHISPER, 1, 64, seed=1), trains="adam")


def _latents(size, *more):
    return (normal("image", 1, 4, size, size), normal("array", 1, unet.WIDTH, seed=1),
            normal("array", 1, 77, 768, seed=2), *more)


_add("unet_half_width_64x64", unet.unet, *_latents(64), result="image",
     note="half the width, a quarter of the weights")
_add("unet_half_width_train_32x32", unet.unet_loss,
     *_latents(32, normal("image", 1, 4, 32, 32, seed=3)), trains="sgd",
     note="half the width, 32x32 latents")
