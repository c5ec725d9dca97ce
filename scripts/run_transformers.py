#!/usr/bin/env python3
"""Runs tiny Flax models of Hugging Face's transformers on Tenon and on JAX's built-in CPU.

    pip install transformers==4.57.6 flax; scripts/run_transformers.py --plugin SO [MODEL...]

Weights are random and nothing is downloaded. Results of a forward pass, a gradient and, for
models of text, greedy generation must agree. The exit status is 1 if one does not.
"""
import argparse
import os
import sys
import time

import plugin_env

TEXT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
            vocab_size=99)
CAUSAL = dict(TEXT, max_position_embeddings=64)
IMAGE = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
             image_size=32, patch_size=8)
PAIR = dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=99)
# class without "Flax", class and values of its configuration, and inputs
MODELS = {
    "bert": ("BertModel", "Bert", TEXT, "text"),
    "roberta": ("RobertaModel", "Roberta", TEXT, "text"),
    "distilbert": ("DistilBertModel", "DistilBert", dict(
        dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=99), "text"),
    "albert": ("AlbertModel", "Albert", dict(TEXT, embedding_size=16), "text"),
    "electra": ("ElectraModel", "Electra", dict(TEXT, embedding_size=16), "text"),
    "roformer": ("RoFormerModel", "RoFormer", dict(CAUSAL, embedding_size=16), "text"),
    "clip": ("CLIPTextModel", "CLIPText", CAUSAL, "text"),
    "gpt2": ("GPT2LMHeadModel", "GPT2", dict(
        n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64), "generate"),
    "gpt_neo": ("GPTNeoForCausalLM", "GPTNeo", dict(
        hidden_size=32, num_layers=2, num_heads=4, vocab_size=99, max_position_embeddings=64,
        attention_types=[[["global", "local"], 1]]), "generate"),
    "llama": ("LlamaForCausalLM", "Llama", CAUSAL, "generate"),
    "mistral": ("MistralForCausalLM", "Mistral", dict(CAUSAL, num_key_value_heads=2),
                "generate"),
    "gemma": ("GemmaForCausalLM", "Gemma", dict(CAUSAL, num_key_value_heads=2, head_dim=8),
              "generate"),
    "opt": ("OPTForCausalLM", "OPT", dict(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, vocab_size=99,
        word_embed_proj_dim=32, max_position_embeddings=64), "generate"),
    "bloom": ("BloomForCausalLM", "Bloom", dict(
        hidden_size=32, n_layer=2, n_head=4, vocab_size=99), "generate"),
    "bart": ("BartForConditionalGeneration", "Bart", dict(PAIR, max_position_embeddings=64),
             "pair"),
    "vit": ("ViTModel", "ViT", IMAGE, "image"),
    "beit": ("BeitModel", "Beit", IMAGE, "image"),
    "resnet": ("ResNetModel", "ResNet", dict(
        embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1]), "image"),
    "whisper": ("WhisperForConditionalGeneration", "Whisper", dict(
        PAIR, max_source_positions=30, max_target_positions=32, num_mel_bins=16, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=3, suppress_tokens=None,
        begin_suppress_tokens=None), "sound"),
}


def inputs(kind):
    import numpy as np
    random = np.random.default_rng(0)
    words = lambda n: random.integers(4, 90, (2, n)).astype(np.int32)
    numbers = lambda *shape: random.standard_normal(shape).astype(np.float32)
    return {"text": lambda: dict(input_ids=words(9)),
            "generate": lambda: dict(input_ids=words(9)),
            "pair": lambda: dict(input_ids=words(9), decoder_input_ids=words(5)),
            "image": lambda: dict(pixel_values=numbers(2, 3, 32, 32)),
            "sound": lambda: dict(input_features=numbers(2, 16, 60),
                                  decoder_input_ids=words(5))}[kind]()


def compute(model, kind, device):
    """All compared results, computed on one device, as lists of NumPy arrays."""
    import jax
    import numpy as np
    model_inputs = inputs(kind)

    def forward(params):
        return [leaf for leaf in jax.tree.leaves(dict(model(**model_inputs, params=params)))
                if leaf.dtype == np.float32]

    def loss(params):
        # After layer normalization, a sum of squares would be constant up to rounding.
        return sum((leaf * np.cos(np.arange(leaf.size)).reshape(leaf.shape)).mean()
                   for leaf in forward(params))

    with jax.default_device(device):
        params = jax.device_put(model.params, device)
        results = [forward(params), jax.grad(loss)(params)]
        if kind == "generate":
            results.append(model.generate(model_inputs["input_ids"], params=params, max_length=16,
                                          do_sample=False, pad_token_id=0).sequences)
        return [jax.tree.leaves(jax.device_get(result)) for result in results]


def difference(ours, expected):
    """The largest difference, relative to the largest number of its array. Gradients that are zero
    up to rounding are compared on the scale of the others."""
    import numpy as np
    if expected[0].dtype.kind == "i":
        return float(any(np.any(a != b) for a, b in zip(ours, expected, strict=True)))
    largest = [np.abs(b).max(initial=0) for b in expected]
    floor = 0.01 * max(largest)
    return max(float(np.abs(a - b).max(initial=0) / max(scale, floor))
               for a, b, scale in zip(ours, expected, largest, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL",
                        help=f"of {', '.join(MODELS)} (default: all)")
    plugin_env.add_argument(parser)
    parser.add_argument("--tolerance", type=float, default=2e-4,
                        help="relative to the largest number of each array")
    options = parser.parse_args()
    plugin_env.set_up(options.plugin)
    os.environ.update(HF_HUB_OFFLINE="1", USE_TORCH="0", USE_TF="0", USE_FLAX="1")
    import jax
    import transformers
    transformers.logging.set_verbosity_error()
    wrong = 0
    for name in options.models or MODELS:
        kind_of_model, config, values, kind = MODELS[name]
        with jax.default_device(jax.devices("cpu")[0]):
            model = getattr(transformers, f"Flax{kind_of_model}")(
                getattr(transformers, f"{config}Config")(**values))
        start = time.monotonic()
        try:
            results = [compute(model, kind, jax.devices(platform)[0])
                       for platform in ("tenon", "cpu")]
            worst = max(difference(a, b) for a, b in zip(*results, strict=True))
            agrees = worst <= options.tolerance
            text = f"largest difference {worst:.1e}"
        except Exception as error:
            agrees, text = False, f"{type(error).__name__}: {error}"[:500]
        wrong += not agrees
        print(f"{'PASS' if agrees else 'FAIL'} {name}: {text} "
              f"({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(options.models or MODELS) - wrong} of {len(options.models or MODELS)} agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
