#!/bin/sh
# npx gateway: the operator's command line in a clone. A link leads here where npm has made one.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
exec sh "$here/node.sh" "$here/gateway.mjs" "$@"
