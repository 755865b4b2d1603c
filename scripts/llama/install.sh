#!/bin/sh
# A virtual environment with llama.cpp's Python server. It is compiled here: a C++ compiler, cmake and about five minutes.
set -eu
cd "$(dirname "$0")"
[ -x .venv/bin/python ] || python3 -m venv .venv
export CMAKE_ARGS="${CMAKE_ARGS:--DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DLLAVA_BUILD=OFF -DMTMD_BUILD=OFF -DLLAMA_CURL=OFF}"
.venv/bin/pip install --quiet --no-input -r requirements.txt
