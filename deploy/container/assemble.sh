#!/bin/sh
# assemble.sh <packages> <image>: the file system of the last stage. Run in the checkout, with the dependencies of production installed.
set -eu
packages=$1
root=$2/root
data=$2/data
mkdir -p "$data" "$root/app/packages" "$root/etc/trivium" "$root/tmp" "$root/usr/local/bin" "$root/usr/share"
chmod 1777 "$root/tmp"

# What is published, and what it depends on.
for name in cli gateway protocol simulator; do
  [ "$name" = cli ] && tarball=$packages/trivium-[0-9]*.tgz || tarball=$packages/trivium-$name-[0-9]*.tgz
  mkdir "$root/app/packages/$name"
  # shellcheck disable=SC2086 # a pattern of one file
  tar -xzf $tarball -C "$root/app/packages/$name" --strip-components=1 --no-same-owner
  [ ! -d "packages/$name/node_modules" ] || cp -R "packages/$name/node_modules" "$root/app/packages/$name/"
done
cp -R node_modules "$root/app/"
# Types and maps are for those who build on the packages.
find "$root/app" \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -type f -delete

# Node.js and the libraries it is linked with. The linker finds them where they are here.
node=$(readlink -f "$(command -v node)")
cp "$node" "$root/usr/local/bin/node"
ldd "$node" | grep -o '/[^ )]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
# Started by the kernel: there is no shell, and no env.
printf '#!/usr/local/bin/node\nimport "/app/packages/cli/bin/trivium.js";\n' >"$root/usr/local/bin/trivium"
chmod 755 "$root/usr/local/bin/trivium"

mkdir -p "$root/etc/ssl/certs"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp -R /usr/share/zoneinfo "$root/usr/share/"
printf 'root:x:0:0:root:/:/nonexistent\ntrivium:x:65532:65532:trivium:/var/lib/trivium:/nonexistent\n' >"$root/etc/passwd"
printf 'root:x:0:\ntrivium:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
