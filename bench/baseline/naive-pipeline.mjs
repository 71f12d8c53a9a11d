// The naive way from an upstream to the object store: CONCURRENCY calls at a time, `JSON.parse`, `Buffer.from`, `putObject`. It
// checks nothing, keeps no rows, and what fails is lost. `GET /count` says how many images are stored.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client } from 'minio';

const { PORT, UPSTREAM, CONCURRENCY, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY } = process.env;
const { hostname, port } = new URL(S3_ENDPOINT);
const client = new Client({
  endPoint: hostname,
  port: Number(port),
  useSSL: false,
  region: 'us-east-1',
  accessKey: S3_ACCESS_KEY,
  secretKey: S3_SECRET_KEY,
});
const url = `${UPSTREAM}/models/gemini-2.5-flash-image:generateContent`;
const body = JSON.stringify({ contents: [{ parts: [{ text: 'a red fox' }] }] });
let count = 0;

async function storeImage() {
  const response = await fetch(url, { method: 'POST', body });
  const { candidates } = JSON.parse(await response.text());
  const image = Buffer.from(candidates[0].content.parts[0].inlineData.data, 'base64');
  await client.putObject('image-gateway', `images/${randomUUID()}/0.png`, image, image.length, {
    'Content-Type': 'image/png',
  });
}

async function runLine() {
  for (;;) {
    await storeImage().then(
      () => count++,
      (error) => console.error(String(error)),
    );
  }
}

createServer((_request, response) => response.end(String(count))).listen(Number(PORT), '127.0.0.1');
for (let line = 0; line < Number(CONCURRENCY); line++) {
  runLine();
}
