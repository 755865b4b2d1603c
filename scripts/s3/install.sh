#!/bin/sh
# A virtual environment with moto's server, which keeps objects and checks signatures as Amazon's store does. About a minute.
set -eu
cd "$(dirname "$0")"
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --no-input -r requirements.txt
