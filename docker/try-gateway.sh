#!/bin/sh
# Starts the whole gateway in its image, draws one image, and stops it: docker/test-build.sh runs this.
set -eu
export DATA_DIR=/tmp/data HOST=127.0.0.1 PORT=39217
node docker/start-gateway.mjs >/tmp/gateway.log 2>&1 &
pid=$!
trap 'cat /tmp/gateway.log' EXIT
for _ in $(seq 240); do
  [ -f "$DATA_DIR/run.json" ] && grep -q 'is running' /tmp/gateway.log && break
  kill -0 $pid
  sleep 0.5
done
node --input-type=module --eval '
  import fs from "node:fs";
  const { api, demo } = JSON.parse(fs.readFileSync(`${process.env.DATA_DIR}/run.json`, "utf8"));
  const response = await fetch(`${api.url}/v1/generate`, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json", prefer: "wait=50" },
    body: JSON.stringify({ model: "nanobanana", prompt: "a red fox in the snow" }),
  });
  const { data } = await response.json();
  const image = await fetch(data.output.url);
  const { length } = new Uint8Array(await image.arrayBuffer());
  console.log(`${data.status}: ${image.headers.get("content-type")}, ${length} bytes`);
  const denied = await fetch(`${api.url}/dashboard/api/sign-up`, { method: "POST", headers: { "content-type": "application/json", origin: api.url }, body: "{}" });
  if (denied.ok || image.status !== 200) process.exit(1);
'
kill -TERM $pid
wait $pid
