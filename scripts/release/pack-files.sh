#!/bin/sh
# Makes the files of a release in an empty folder: bill of materials, chart (its images are those of a registry), packages of the clients,
# and their checksums in SHA256SUMS. Needs helm, and a Python with `build` and `hatchling` (PYTHON, else python3).
#   scripts/release/pack-files.sh ghcr.io/owner 0.4.0 DIR
set -eu
registry=$1 version=$2 out=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ -z "$(ls -A "$out")" ] || { echo "$out is not empty" >&2; exit 1; }
cd "$root"
npm run --silent sbom >"$out/image-gateway-$version.cdx.json"
PACK_ONLY=$out scripts/release/push-chart.sh "$registry" "$version"
(cd clients/typescript && npm pack --silent --pack-destination "$out" >/dev/null)
# The index of packages gets what stands here, so nothing is fetched while it is built.
"${PYTHON:-python3}" -m build --no-isolation --outdir "$out" clients/python >/dev/null
cd "$out"
sha256sum -- * >"$out.sums"
mv "$out.sums" SHA256SUMS
