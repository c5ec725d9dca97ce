"""BERT-base, GPT-2 (124M), ViT-base/16 and Whisper-tiny."""
WORDS_BERT, WORDS_GPT2, WORDS_WHISPER = 30522, 50257, 51865


def _self_attention(o, name, x, heads, causal=False, fused=False):
    """(attention of x to itself before the output's product, keys, values)."""
    features = x.shape[-1]
    if fused:
        q, k, v = o.split(o.dense(f"{name}.qkv", x, features=3 * features), 3)
    else:
        q, k, v = (o.dense(f"{name}.{part}", x, features=features) for part in "qkv")
    return o.attend(name, q, k, v, heads=heads, causal=causal), k, v


def _mlp(o, name, x, residual, activation):
    features = x.shape[-1]
    y = o.dense(f"{name}.up", x, features=4 * features, activation=activation)
    return o.dense(f"{name}.down", y, residual, features=features)


def bert_base(o, ids, positions, segments):
    """The last hidden states; normalisation comes after the residual additions."""
    x = o.embed("words", ids, words=WORDS_BERT, features=768) \
        + o.embed("positions", positions, words=512, features=768)
    x = o.layer_norm("norm", x, o.embed("segments", segments, words=2, features=768))
    for i in range(12):
        y, _, _ = _self_attention(o, f"{i}.attention", x, 12)
        y = o.dense(f"{i}.out", y, features=768)
        x = o.layer_norm(f"{i}.norm1", y, x)
        x = o.layer_norm(f"{i}.norm2", _mlp(o, f"{i}.mlp", x, None, "gelu"), x)
    return x


def bert_loss(o, ids, positions, segments, labels):
    """Fine-tuning of a classifier of two classes on the first token."""
    x = bert_base(o, ids, positions, segments)[:, 0]
    x = o.dense("pooler", x, features=768, activation="tanh")
    return o.cross_entropy(o.dense("classifier", x, features=2), labels)


def _gpt2_hidden(o, ids, positions, attend):
    x = o.embed("words", ids, words=WORDS_GPT2, features=768) \
        + o.embed("positions", positions, words=1024, features=768)
    for i in range(12):
        y = o.layer_norm(f"{i}.norm1", x)
        q, k, v = o.split(o.dense(f"{i}.qkv", y, features=3 * 768), 3)
        x = o.dense(f"{i}.out", attend(i, q, k, v), x, features=768)
        x = _mlp(o, f"{i}.mlp", o.layer_norm(f"{i}.norm2", x), x, "gelu_tanh")
    return o.layer_norm("norm", x)


def gpt2_prefill(o, ids, positions):
    """The last token's logits, and every layer's keys and values."""
    caches = []

    def attend(i, q, k, v):
        caches.extend((o.keep(k), o.keep(v)))
        return o.attend(f"{i}.attention", q, k, v, heads=12, causal=True)
    x = _gpt2_hidden(o, ids, positions, attend)
    return o.unembed("words", x[:, -1], words=WORDS_GPT2), *caches


def gpt2_decode(o, ids, position_id, position, *caches):
    """One token's logits, and the caches with its keys and values at `position`."""
    caches = list(caches)

    def attend(i, q, k, v):
        y, caches[2 * i], caches[2 * i + 1] = o.attend_cached(
            f"{i}.attention", q, k, v, caches[2 * i], caches[2 * i + 1], position, heads=12)
        return y
    x = _gpt2_hidden(o, ids, position_id, attend)
    return o.unembed("words", x[:, -1], words=WORDS_GPT2), *caches


def gpt2_loss(o, ids, positions, labels):
    x = _gpt2_hidden(o, ids, positions, lambda i, q, k, v: o.attend(
        f"{i}.attention", q, k, v, heads=12, causal=True))
    return o.cross_entropy(o.unembed("words", x, words=WORDS_GPT2), labels)


def vit_base(o, x):
    x = o.tokens(o.conv("patches", x, features=768, size=16, stride=16, padding=0))
    first = o.parameter("class.table", "table", 1, 1, 768)
    x = o.concatenate(o.broadcast_first(first, x.shape[0]), x, "tokens")
    x = x + o.parameter("positions.table", "table", 1, 197, 768)
    for i in range(12):
        y, _, _ = _self_attention(o, f"{i}.attention", o.layer_norm(f"{i}.norm1", x), 12,
                                  fused=True)
        x = o.dense(f"{i}.out", y, x, features=768)
        x = _mlp(o, f"{i}.mlp", o.layer_norm(f"{i}.norm2", x), x, "gelu")
    return o.dense("head", o.layer_norm("norm", x)[:, 0], features=1000)


def whisper_encoder(o, mel):
    x = o.conv("encoder.conv1", mel, features=384, size=3, activation="gelu")
    x = o.tokens(o.conv("encoder.conv2", x, features=384, size=3, stride=2, activation="gelu"))
    x = x + o.parameter("encoder.positions.table", "table", 1, x.shape[1], 384)
    for i in range(4):
        name = f"encoder.{i}"
        y, _, _ = _self_attention(o, f"{name}.attention", o.layer_norm(f"{name}.norm1", x), 6)
        x = o.dense(f"{name}.out", y, x, features=384)
        x = _mlp(o, f"{name}.mlp", o.layer_norm(f"{name}.norm2", x), x, "gelu")
    return o.layer_norm("encoder.norm", x)


def _whisper_decoder(o, ids, positions, attend, cross):
    x = o.embed("words", ids, words=WORDS_WHISPER, features=384) \
        + o.embed("positions", positions, words=448, features=384)
    for i in range(4):
        name = f"decoder.{i}"
        y = o.layer_norm(f"{name}.norm1", x)
        q, k, v = (o.dense(f"{name}.{part}", y, features=384) for part in "qkv")
        x = o.dense(f"{name}.out", attend(i, q, k, v), x, features=384)
        q = o.dense(f"{name}.cross.q", o.layer_norm(f"{name}.norm2", x), features=384)
        y = o.attend(f"{name}.cross", q, *cross(i), heads=6)
        x = o.dense(f"{name}.cross.out", y, x, features=384)
        x = _mlp(o, f"{name}.mlp", o.layer_norm(f"{name}.norm3", x), x, "gelu")
    return o.layer_norm("decoder.norm", x)


def whisper_decode(o, ids, position_id, position, *caches):
    """One token. `caches`: own keys and values by layer, then those of the audio."""
    own, audio = list(caches[:8]), caches[8:]

    def attend(i, q, k, v):
        y, own[2 * i], own[2 * i + 1] = o.attend_cached(
            f"decoder.{i}.attention", q, k, v, own[2 * i], own[2 * i + 1], position, heads=6)
        return y
    x = _whisper_decoder(o, ids, position_id, attend, lambda i: audio[2 * i:2 * i + 2])
    return o.unembed("words", x[:, -1], words=WORDS_WHISPER), *own


def whisper_loss(o, mel, ids, positions, labels):
    audio = whisper_encoder(o, mel)

    def attend(i, q, k, v):
        return o.attend(f"decoder.{i}.attention", q, k, v, heads=6, causal=True)

    def cross(i):
        return [o.dense(f"decoder.{i}.cross.{part}", audio, features=384) for part in "kv"]
    x = _whisper_decoder(o, ids, positions, attend, cross)
    return o.cross_entropy(o.unembed("words", x, words=WORDS_WHISPER), labels)
