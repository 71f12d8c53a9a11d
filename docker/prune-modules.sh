#!/bin/sh
# Takes out of /app/node_modules what no process reads at run time; run while an image is built, right after the install.
set -eu
cd /app/node_modules/.pnpm

# Types and source maps.
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# The database client's query compilers for other databases than PostgreSQL.
find . -type f -path '*/@prisma/client/runtime/query_compiler_*' ! -name 'query_compiler_*_bg.postgresql.*' -delete
