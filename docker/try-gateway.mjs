// Starts the whole gateway in its image, draws one image, stops it, and starts it again: docker/test-build.sh runs this.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const env = { ...process.env, DATA_DIR: '/tmp/data', HOST: '127.0.0.1', PORT: '39217' };

/** Starts the gateway, does something with what it printed, and stops it; returns all of its output. */
async function withGateway(act) {
  const child = spawn(process.execPath, ['docker/start-gateway.mjs'], { env });
  let output = '';
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const started = new Promise((resolve) => {
    const keep = (piece) => {
      output += piece;
      if (output.includes('image-gateway is running')) {
        resolve('started');
      }
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
  });
  if ((await Promise.race([started, ended])) !== 'started') {
    throw new Error(`it did not start:\n${output}`);
  }
  await act();
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) {
    throw new Error(`it ended with ${code}:\n${output}`);
  }
  return output;
}

const readRun = () => JSON.parse(fs.readFileSync('/tmp/data/run.json', 'utf8'));
let demo;
const first = await withGateway(async () => {
  const run = readRun();
  demo = run.demo;
  const response = await fetch(`${run.api.url}/v1/generate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${demo.apiKey}`,
      'content-type': 'application/json',
      prefer: 'wait=50',
    },
    body: JSON.stringify({ model: 'nanobanana', prompt: 'a red fox in the snow' }),
  });
  const { data } = await response.json();
  const image = await fetch(data.output.url);
  const { length } = new Uint8Array(await image.arrayBuffer());
  if (image.status !== 200 || length < 1000) {
    throw new Error(`no image: ${JSON.stringify(data)}`);
  }
  console.log(`drew ${image.headers.get('content-type')}, ${length} bytes`);
});
const second = await withGateway(async () => undefined);
if (!first.includes(demo.apiKey) || second.includes(demo.apiKey) || second.includes(demo.password)) {
  throw new Error('the log-ins have to be shown at the first start, and only then');
}
console.log('log-ins shown once');
