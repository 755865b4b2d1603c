"""A tiny reranker in llama.cpp's own file format: a BERT of two layers with random weights over letters, and a head that
scores. Its order means nothing, and is always the same."""

import string
import sys

import gguf
import numpy

EMBEDDING, HEADS, FEED_FORWARD, LAYERS, CONTEXT = 64, 4, 128, 2, 512
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LETTERS = string.ascii_lowercase + string.digits


def main(path):
    random = numpy.random.default_rng(7)
    tokens = [*MARKS, *(f"▁{letter}" for letter in LETTERS), *LETTERS]
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_name("tiny-reranker")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.RANK)
    writer.add_classifier_output_labels(["score"])
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_type_count(2)
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL] * len(MARKS) + [gguf.TokenType.NORMAL] * (len(tokens) - len(MARKS)))
    for add, mark in (
        (writer.add_pad_token_id, "[PAD]"),
        (writer.add_unk_token_id, "[UNK]"),
        (writer.add_bos_token_id, "[CLS]"),
        (writer.add_eos_token_id, "[SEP]"),
        (writer.add_sep_token_id, "[SEP]"),
    ):
        add(tokens.index(mark))

    def weights(name, *shape, scale=0.3):
        writer.add_tensor(f"{name}.weight", random.normal(0, scale, shape).astype(numpy.float32))

    def linear(name, inputs, outputs):
        weights(name, outputs, inputs)
        writer.add_tensor(f"{name}.bias", numpy.zeros(outputs, dtype=numpy.float32))

    def norm(name):
        writer.add_tensor(f"{name}.weight", numpy.ones(EMBEDDING, dtype=numpy.float32))
        writer.add_tensor(f"{name}.bias", numpy.zeros(EMBEDDING, dtype=numpy.float32))

    weights("token_embd", len(tokens), EMBEDDING, scale=1.0)
    weights("token_types", 2, EMBEDDING)
    weights("position_embd", CONTEXT, EMBEDDING)
    norm("token_embd_norm")
    for layer in range(LAYERS):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            linear(f"blk.{layer}.{part}", EMBEDDING, EMBEDDING)
        norm(f"blk.{layer}.attn_output_norm")
        linear(f"blk.{layer}.ffn_up", EMBEDDING, FEED_FORWARD)
        linear(f"blk.{layer}.ffn_down", FEED_FORWARD, EMBEDDING)
        norm(f"blk.{layer}.layer_output_norm")
    linear("cls", EMBEDDING, EMBEDDING)
    linear("cls.output", EMBEDDING, 1)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(sys.argv[1])
