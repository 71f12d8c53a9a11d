#!/bin/sh
# Asks OSV for known vulnerabilities of a lock file, or of an image that docker has: scripts/release/find-advisories.sh pnpm-lock.yaml
# Ends with 1 when there are some. Needs Go, or osv-scanner on PATH.
set -eu
subject=$1
scanner=$(command -v osv-scanner || true)
if [ -z "$scanner" ]; then
  tools=${TMPDIR:-/tmp}/image-gateway-osv
  GOBIN=$tools go install github.com/google/osv-scanner/v2/cmd/osv-scanner@v2.5.0
  scanner=$tools/osv-scanner
fi
if [ -f "$subject" ]; then exec "$scanner" scan source --lockfile "$subject"; fi
exec "$scanner" scan image "$subject"
