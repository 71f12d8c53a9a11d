#!/bin/sh
# Builds every image and starts each once: `docker/test-build.sh [TARGET…]`. Needs docker, or buildah where no engine runs.
# No service is needed: a process without settings must name what it misses and end with 1, which loads everything that it is made of.
#   BUILDAH="buildah --root /tmp/images --storage-driver vfs"   BUILD_FLAGS="--network host"   RUN_FLAGS="--isolation chroot"
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
buildah=${BUILDAH:-buildah}

if [ -z "${BUILDAH:-}" ] && docker version >/dev/null 2>&1; then engine=docker; else engine=buildah; fi

build() { # NAME ARGUMENTS…
  name=$1
  shift
  if [ $engine = docker ]; then docker build ${BUILD_FLAGS:-} -t "image-gateway-test-$name" "$@"
  else $buildah bud --format docker ${BUILD_FLAGS:-} -t "image-gateway-test-$name" "$@"; fi
}

run() { # NAME COMMAND…
  name=$1
  shift
  if [ $engine = docker ]; then docker run --rm --read-only --tmpfs /tmp ${RUN_FLAGS:-} "image-gateway-test-$name" "$@"
  else
    container=$($buildah from --pull-never "localhost/image-gateway-test-$name:latest")
    status=0
    $buildah run ${RUN_FLAGS:-} "$container" -- "$@" || status=$?
    $buildah rm "$container" >/dev/null
    return $status
  fi
}

expect() { # STATUS TEXT NAME COMMAND…
  wanted=$1 text=$2
  shift 2
  # On a busy machine buildah 1.28 loses the output of some processes.
  for _ in 1 2 3; do
    status=0
    run "$@" >"$out" 2>&1 || status=$?
    [ ! -s "$out" ] || break
  done
  if [ "$status" = "$wanted" ] && grep -q -- "$text" "$out"; then echo "ok: $*"
  else
    echo "failed: $* ended with $status, expected $wanted and \"$text\":" >&2
    cat "$out" >&2
    exit 1
  fi
}

# What an image adds to that of Node is at most what docs/container-images.md says of it, and no less than nine tenths of that.
hold_size() { # NAME MEGABYTES
  name=$1 found=$2
  said=$(sed -n "s/^| \`$name\` | \([0-9]*\) MB .*/\1/p" docs/container-images.md)
  if [ "$found" -le "$said" ] && [ $((found * 10)) -ge $((said * 9)) ]; then echo "ok: $name takes $found MB"
  else
    echo "failed: $name takes $found MB, docs/container-images.md says $said" >&2
    exit 1
  fi
}

for target in ${*:-migrate webhook-worker generation-worker api gateway store minio}; do
  if [ "$target" = store ]; then
    build store -f docker/store.Dockerfile docker
    expect 0 '1.8.0' store versitygw --version
    hold_size store "$(run store busybox du -k /bin/versitygw /bin/busybox | awk '{ sum += $1 } END { printf "%d", sum * 1024 / 1000000 }')"
    continue
  fi
  if [ "$target" = minio ]; then
    build minio -f docker/minio.Dockerfile docker
    expect 0 'minio version' minio minio --version
    continue
  fi
  build "$target" -f docker/node.Dockerfile --target "$target" .
  expect 0 '^1000$' "$target" id -u
  expect 0 'Copyright' "$target" cat LICENSE NOTICE
  hold_size "$target" "$(run "$target" du -s -B 1000000 --apparent-size /app | cut -f 1)"
  # Every npm package has its own licence or readme, and pruning takes none of them.
  expect 0 '^MIT' "$target" sh -c 'cat node_modules/.pnpm/pg@*/node_modules/pg/LICENSE | head -1'
  # What it installs is what it runs: no compiler, no bundler, no command line of Prisma.
  expect 0 '^none$' "$target" sh -c 'ls node_modules node_modules/.pnpm | grep -E "^(prisma|tsx|vite|typescript|@typescript.*)(@|$)" || echo none'
  case $target in
    gateway) expect 0 '^log-ins shown once' gateway node docker/try-gateway.mjs ;;
    migrate) expect 1 'PostgreSQL cannot be reached' migrate sh -c 'DATABASE_URL=postgresql://127.0.0.1:1/x exec node apps/api/dist/cli/main.js migrate' ;;
    *)
      expect 1 'DATABASE_URL is required' "$target" sh -c "HOST=127.0.0.1 exec node apps/$target/dist/main.js"
      expect 1 'fetch failed' "$target" node docker/healthcheck.mjs METRICS_PORT /metrics
      ;;
  esac
  if [ "$target" = api ]; then
    expect 0 'account create' api gateway --help
    expect 1 'S3_ENDPOINT is required' api node docker/make-bucket.mjs
  fi
done
