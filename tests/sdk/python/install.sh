#!/bin/sh
# Puts the pinned Python SDKs into .venv at the project root; a second run with the same pins does nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
venv="$root/.venv"
stamp="$venv/requirements.installed"
if [ -f "$stamp" ] && cmp -s "$here/requirements.txt" "$stamp"; then
  exit 0
fi
python3 -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --requirement "$here/requirements.txt"
cp "$here/requirements.txt" "$stamp"
