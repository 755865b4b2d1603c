"""A tiny model in whisper.cpp's own file format: random weights over forty pieces of words. It hears nonsense, and says
it with times, as every real model does."""

import random
import struct
import sys

STATE, HEADS, LAYERS, AUDIO_CONTEXT, TEXT_CONTEXT, MELS, FREQUENCIES = 64, 1, 1, 1500, 64, 80, 201
TEXT_TOKENS, TOKENS, HALF_FLOATS = 50257, 51865, 1
PIECES = [space + first + "aeiou"[at % 5] for at, first in enumerate("bcdfghklmnprstvwxyzj") for space in (" ", "")]

chance = random.Random(7)


def noise(count, scale):
    return [chance.gauss(0, scale) for _ in range(count)]


def main(path):
    with open(path, "wb") as file:

        def numbers(*values):
            file.write(struct.pack(f"<{len(values)}i", *values))

        def tensor(name, shape, values, is_half=False):
            numbers(len(shape), len(name), int(is_half), *shape)
            file.write(name.encode())
            file.write(struct.pack(f"<{len(values)}{'e' if is_half else 'f'}", *values))

        def linear(name, inputs, outputs, is_biased=True):
            tensor(f"{name}.weight", (inputs, outputs), noise(inputs * outputs, 0.2), is_half=True)
            if is_biased:
                tensor(f"{name}.bias", (outputs,), [0.0] * outputs)

        def norm(name):
            tensor(f"{name}.weight", (STATE,), [1.0] * STATE)
            tensor(f"{name}.bias", (STATE,), [0.0] * STATE)

        def attention(name):
            norm(f"{name}_ln")
            for part in ("query", "key", "value", "out"):
                linear(f"{name}.{part}", STATE, STATE, is_biased=part != "key")

        def block(name, attentions):
            for each in attentions:
                attention(f"{name}.{each}")
            norm(f"{name}.mlp_ln")
            linear(f"{name}.mlp.0", STATE, 4 * STATE)
            linear(f"{name}.mlp.2", 4 * STATE, STATE)

        file.write(struct.pack("<I", 0x67676D6C))
        numbers(TOKENS, AUDIO_CONTEXT, STATE, HEADS, LAYERS, TEXT_CONTEXT, STATE, HEADS, LAYERS, MELS, HALF_FLOATS)
        numbers(MELS, FREQUENCIES)
        file.write(struct.pack(f"<{MELS * FREQUENCIES}f", *[abs(value) for value in noise(MELS * FREQUENCIES, 0.01)]))
        words = [*PIECES, " ", *(f"<{at}>" for at in range(len(PIECES) + 1, TEXT_TOKENS))]
        numbers(len(words))
        for word in words:
            numbers(len(word))
            file.write(word.encode())

        tensor("encoder.positional_embedding", (STATE, AUDIO_CONTEXT), noise(STATE * AUDIO_CONTEXT, 0.5))
        for name, inputs in (("encoder.conv1", MELS), ("encoder.conv2", STATE)):
            tensor(f"{name}.weight", (3, inputs, STATE), noise(3 * inputs * STATE, 0.2), is_half=True)
            tensor(f"{name}.bias", (1, STATE), [0.0] * STATE)
        norm("encoder.ln_post")
        for layer in range(LAYERS):
            block(f"encoder.blocks.{layer}", ("attn",))
        tensor("decoder.positional_embedding", (STATE, TEXT_CONTEXT), noise(STATE * TEXT_CONTEXT, 6.0))
        # Only pieces of words have weights, so one of them beats every mark and the end.
        rows = noise(len(PIECES) * STATE, 2.0) + [0.0] * ((TOKENS - len(PIECES)) * STATE)
        tensor("decoder.token_embedding.weight", (STATE, TOKENS), rows, is_half=True)
        norm("decoder.ln")
        for layer in range(LAYERS):
            block(f"decoder.blocks.{layer}", ("attn", "cross_attn"))


main(sys.argv[1])
