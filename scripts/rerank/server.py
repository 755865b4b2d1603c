"""llama.cpp's own server, as a package has it compiled, with a model that ranks: prints its address, and serves until its
input ends."""

import sys

import xllamacpp

CONTEXT = 512

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {"tiny-reranker"}
params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
params.embedding = True
params.n_ctx = params.n_batch = params.n_ubatch = CONTEXT
params.cpuparams.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
