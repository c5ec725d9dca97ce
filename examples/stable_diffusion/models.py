"""Stable Diffusion 1 from diffusers and transformers, with random weights, as one function.

The models are the packages' own; nothing is downloaded. `Models(size).generate` is the whole of
inference: text encoder, the scheduler's loop around the UNet, and the decoder of the VAE.
"""
import os

os.environ["USE_TORCH"] = "0"  # transformers: Flax alone

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from diffusers.models.unets.unet_2d_condition_flax import FlaxUNet2DConditionModel  # noqa: E402
from diffusers.models.vae_flax import FlaxAutoencoderKL  # noqa: E402
from diffusers.schedulers.scheduling_pndm_flax import FlaxPNDMScheduler  # noqa: E402
from transformers import CLIPTextConfig  # noqa: E402
from transformers.models.clip.modeling_flax_clip import FlaxCLIPTextModel  # noqa: E402

# The values of runwayml/stable-diffusion-v1-5, where they are not the classes' defaults, and ones
# for tests.
_LEVELS = 4  # of the VAE: an image has 8 times the height of its latents
_SIZES = {
    "v1": dict(
        image=512,
        text=dict(vocab_size=49408, hidden_size=768, intermediate_size=3072, num_hidden_layers=12,
                  num_attention_heads=12, max_position_embeddings=77),
        unet=dict(cross_attention_dim=768),
        vae=dict(block_out_channels=(128, 256, 512, 512), layers_per_block=2)),
    "tiny": dict(
        image=64,
        text=dict(vocab_size=1000, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                  num_attention_heads=4, max_position_embeddings=16),
        unet=dict(cross_attention_dim=32, block_out_channels=(32, 64), layers_per_block=1,
                  attention_head_dim=4,
                  down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                  up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")),
        vae=dict(block_out_channels=(32, 32, 64, 64), layers_per_block=1)),
}
SIZES = tuple(_SIZES)


class Models:
    def __init__(self, size):
        given = _SIZES[size]
        self.image = given["image"]
        self.latents = (1, 4, self.image // 2 ** (_LEVELS - 1), self.image // 2 ** (_LEVELS - 1))
        last = given["text"]["vocab_size"] - 1
        self.text = FlaxCLIPTextModel(
            CLIPTextConfig(bos_token_id=last - 1, eos_token_id=last, **given["text"]),
            _do_init=False)
        self.unet = FlaxUNet2DConditionModel(sample_size=self.latents[-1], **given["unet"])
        self.vae = FlaxAutoencoderKL(
            sample_size=self.image, down_block_types=("DownEncoderBlock2D",) * _LEVELS,
            up_block_types=("UpDecoderBlock2D",) * _LEVELS, **given["vae"])
        self.scheduler = FlaxPNDMScheduler(beta_start=0.00085, beta_end=0.012, steps_offset=1,
                                           beta_schedule="scaled_linear", skip_prk_steps=True)

    def weights(self, seed):
        """NumPy arrays; the same on every platform."""
        def shapes():
            key = jax.random.key(0)
            return {"text": self.text.init_weights(key, (1, 1)),
                    "unet": self.unet.init_weights(key),
                    "vae": self.vae.init(key, jnp.zeros(self.latents),
                                         method=self.vae.decode)["params"]}

        random = np.random.default_rng(seed)

        def make(path, leaf):
            kind = path[-1].key
            if kind == "scale":
                return np.ones(leaf.shape, np.float32)
            if kind == "bias":
                return np.zeros(leaf.shape, np.float32)
            values = random.standard_normal(leaf.shape, np.float32)
            inputs = np.prod(leaf.shape[:-1]) if kind == "kernel" else leaf.shape[-1]
            return values / np.float32(np.sqrt(inputs))

        return jax.tree_util.tree_map_with_path(make, jax.eval_shape(shapes))

    def tokens(self, prompt):
        """Numbers for a text: its bytes. The real tokenizer needs a file that would be downloaded."""
        config = self.text.config
        length = config.max_position_embeddings
        text = [config.bos_token_id, *prompt.encode()[:length - 2]]
        return np.array([text + [config.eos_token_id] * (length - len(text))], np.int32)

    def noise(self, seed):
        return np.random.default_rng(seed).standard_normal(self.latents, np.float32)

    def generate(self, weights, prompt, nothing, noise, guidance, steps):
        """f32[1, height, width, 3] in 0 to 1. `steps` is static, all others are traced."""
        text = self.text(jnp.concatenate([nothing, prompt]), params=weights["text"])[0]
        state = self.scheduler.set_timesteps(self.scheduler.create_state(), steps, noise.shape)

        def step(i, carry):
            latents, state = carry
            time = jnp.asarray(state.timesteps, jnp.int32)[i]
            both = self.scheduler.scale_model_input(state, jnp.concatenate([latents, latents]), time)
            unconditional, conditional = jnp.split(self.unet.apply(
                {"params": weights["unet"]}, both, jnp.full(2, time), text).sample, 2)
            guided = unconditional + guidance * (conditional - unconditional)
            return self.scheduler.step(state, guided, time, latents).to_tuple()

        latents, _ = jax.lax.fori_loop(0, len(state.timesteps), step,
                                       (noise * state.init_noise_sigma, state))
        image = self.vae.apply({"params": weights["vae"]},
                               latents / self.vae.config.scaling_factor,
                               method=self.vae.decode).sample
        return jnp.clip(image / 2 + 0.5, 0, 1).transpose(0, 2, 3, 1)
