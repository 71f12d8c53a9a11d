#!/bin/sh
# Runs node with the arguments given, or a shell command with -c, under a Node that the project supports: the one on PATH, or,
# where that is too old, one that is installed into .cache of this folder. The command replaces this shell, so signals reach it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(node --version) || {
  echo 'Node.js is needed: install version 24 from https://nodejs.org, then run this again.' >&2
  exit 1
}
major=${version#v} major=${major%%.*}
minor=${version#v*.} minor=${minor%%.*}
if [ "$major" -lt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -lt 13 ]; }; then
  node=$(node "$root/scripts/bootstrap/install-node.mjs")
  PATH=$(dirname "$node"):$PATH
  export PATH
  # npm would go on under the Node that started it.
  unset npm_node_execpath NODE
fi
if [ "${1:-}" = -c ]; then
  PATH=$root/node_modules/.bin:$PATH
  export PATH
  exec sh -c "$2" sh
fi
exec node "$@"
