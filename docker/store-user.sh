#!/bin/sh
# Makes the user of the gateway in versitygw and the bucket that this user owns, and ends: the processes get a key that opens this bucket and
# no other. Can be run again at any time; a changed S3_SECRET_KEY becomes the user's. Needs S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY,
# S3_SECRET_KEY, and versitygw's ROOT_ACCESS_KEY and ROOT_SECRET_KEY.
set -eu
if [ -d "${MINIO_DATA:-/minio-data}/.minio.sys" ]; then
  echo 'The images of this installation are in MinIO. Keep it: add docker/compose.minio.yaml to COMPOSE_FILE in .env, or copy the bucket' >&2
  echo 'and remove the volume minio-data (docs/services.md, Object store).' >&2
  exit 1
fi
export ADMIN_ACCESS_KEY_ID="$ROOT_ACCESS_KEY" ADMIN_SECRET_ACCESS_KEY="$ROOT_SECRET_KEY"
admin() { "${VERSITYGW_BIN:-versitygw}" admin --endpoint-url "$S3_ENDPOINT" "$@"; }

if admin list-users | grep -qw -- "$S3_ACCESS_KEY"; then
  admin update-user --access "$S3_ACCESS_KEY" --secret "$S3_SECRET_KEY"
else
  admin create-user --access "$S3_ACCESS_KEY" --secret "$S3_SECRET_KEY" --role user
fi
if admin list-buckets | grep -qw -- "$S3_BUCKET"; then
  admin change-bucket-owner --bucket "$S3_BUCKET" --owner "$S3_ACCESS_KEY"
else
  admin create-bucket --bucket "$S3_BUCKET" --owner "$S3_ACCESS_KEY"
fi
