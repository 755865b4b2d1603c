"""A tiny model in llama.cpp's own file format: two layers of random weights over letters and bytes. It says nonsense,
always the same nonsense, and says it the way every real model does."""

import sys

import gguf
import numpy

EMBEDDING, HEADS, FEED_FORWARD, LAYERS, CONTEXT = 64, 4, 128, 2, 2048
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant:"
)


def vocabulary():
    normal, control, byte, unknown = (
        gguf.TokenType.NORMAL,
        gguf.TokenType.CONTROL,
        gguf.TokenType.BYTE,
        gguf.TokenType.UNKNOWN,
    )
    tokens = [("<unk>", unknown), ("<s>", control), ("</s>", control)]
    tokens += [(f"<0x{value:02X}>", byte) for value in range(256)]
    tokens += [(letter, normal) for letter in "▁abcdefghijklmnopqrstuvwxyz"]
    return tokens


def main(path):
    random = numpy.random.default_rng(7)
    tokens = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([-float(rank) for rank in range(len(tokens))])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)

    def weights(name, *shape, scale=0.2):
        writer.add_tensor(name, random.normal(0, scale, shape).astype(numpy.float32))

    def ones(name):
        writer.add_tensor(name, numpy.ones(EMBEDDING, dtype=numpy.float32))

    weights("token_embd.weight", len(tokens), EMBEDDING, scale=1.0)
    for layer in range(LAYERS):
        ones(f"blk.{layer}.attn_norm.weight")
        ones(f"blk.{layer}.ffn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights(f"blk.{layer}.{part}.weight", EMBEDDING, EMBEDDING)
        weights(f"blk.{layer}.ffn_gate.weight", FEED_FORWARD, EMBEDDING)
        weights(f"blk.{layer}.ffn_up.weight", FEED_FORWARD, EMBEDDING)
        weights(f"blk.{layer}.ffn_down.weight", EMBEDDING, FEED_FORWARD)
    ones("output_norm.weight")
    # Only letters have non-zero logits, so in every state a letter beats the byte tokens and the end token.
    output = numpy.zeros((len(tokens), EMBEDDING), dtype=numpy.float32)
    letters = range(len(tokens) - 27, len(tokens))
    output[letters] = random.normal(0, 2.0, (27, EMBEDDING))
    writer.add_tensor("output.weight", output)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
