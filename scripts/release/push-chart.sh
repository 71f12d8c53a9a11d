#!/bin/sh
# Packs the chart with the names of its images, pushes it as an OCI artifact, and signs it:
#   REGISTRY_USER=… REGISTRY_TOKEN=… scripts/release/push-chart.sh ghcr.io/owner 0.3.0
# With PACK_ONLY=DIR it only packs, into that folder.
set -eu
registry=$1 version=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp -r "$root/deploy/helm/image-gateway" "$out/image-gateway"
# The chart of a release draws the images of that release.
sed -i.bak "s#registry.example.com/image-gateway#$registry/image-gateway#" "$out/image-gateway/values.yaml"
rm "$out/image-gateway/values.yaml.bak"
helm package "$out/image-gateway" --version "$version" --app-version "$version" --destination "$out" >/dev/null
package="$out/image-gateway-$version.tgz"
if [ -n "${PACK_ONLY:-}" ]; then
  mkdir -p "$PACK_ONLY"
  cp "$package" "$PACK_ONLY/"
  exit
fi
printf '%s' "$REGISTRY_TOKEN" | helm registry login "${registry%%/*}" --username "$REGISTRY_USER" --password-stdin
helm push "$package" "oci://$registry/charts" 2>&1 | tee "$out/push.log"
digest=$(sed -n 's/^Digest: //p' "$out/push.log")
cosign sign --yes "$registry/charts/image-gateway@$digest"
