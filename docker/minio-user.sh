#!/bin/sh
# Makes the bucket and the user of the gateway in MinIO, and ends: the processes get a key that opens this bucket and nothing else.
# Can be run again at any time; a changed S3_SECRET_KEY becomes the user's. Needs S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY
# and MinIO's MINIO_ROOT_USER and MINIO_ROOT_PASSWORD.
set -eu
MC_CONFIG_DIR=$(mktemp -d)
trap 'rm -rf "$MC_CONFIG_DIR"' EXIT
export MC_CONFIG_DIR MC_HOST_gateway="${S3_ENDPOINT%%://*}://$MINIO_ROOT_USER:$MINIO_ROOT_PASSWORD@${S3_ENDPOINT#*://}"
policy=$MC_CONFIG_DIR/policy.json
cat >"$policy" <<END
{
  "Version": "2012-10-17",
  "Statement": [
    { "Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::$S3_BUCKET" },
    { "Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], "Resource": "arn:aws:s3:::$S3_BUCKET/*" }
  ]
}
END
client() { "${MC_BIN:-mc}" --quiet --disable-pager "$@"; }

client mb --ignore-existing "gateway/$S3_BUCKET"
client admin policy create gateway image-gateway "$policy"
# From standard input, so that no list of processes shows the key.
printf '%s\n%s\n' "$S3_ACCESS_KEY" "$S3_SECRET_KEY" | client admin user add gateway
# Attaching is an error for a user that has the policy already.
client admin policy entities gateway --user "$S3_ACCESS_KEY" | grep -qw image-gateway ||
  client admin policy attach gateway image-gateway --user "$S3_ACCESS_KEY"
