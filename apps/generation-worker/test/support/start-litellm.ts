import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StubUpstreams } from '@image-gateway/stub-upstreams';

/** Running LiteLLM proxy. */
export interface Litellm {
  readonly url: string;
  readonly key: string;
  readonly stop: () => Promise<void>;
}

const KEY = 'sk-litellm-of-a-test';
const PROVIDER = /litellm_params: \{[^}]*\}/g;
const START_MS = 150_000;

/** Starts LiteLLM with a config file, in which only the provider behind it is another: the stub. Throws Error when it does not serve. */
export async function startLitellm(
  program: string,
  { config, stub }: { readonly config: string; readonly stub: StubUpstreams },
): Promise<Litellm> {
  const [folder, port] = await Promise.all([mkdtemp(path.join(tmpdir(), 'litellm-')), findPort()]);
  const file = path.join(folder, 'config.yaml');
  const upstreamKey = stub.keys.openai.find((key) => key !== '');
  const params = `litellm_params: { model: openai/gpt-image-2, api_base: "${stub.url}/v1", api_key: ${upstreamKey} }`;
  await writeFile(file, config.replaceAll(PROVIDER, params));
  const output: string[] = [];
  const child = spawn(program, ['--config', file, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    // The price list of the package: LiteLLM would ask GitHub for it at each start. No DATABASE_URL, which it would use.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LITELLM_MASTER_KEY: KEY,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => output.push(part.toString()));
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const until = Date.now() + START_MS;
  while (!(await isAlive(url))) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop();
      throw new Error(`LiteLLM does not serve: ${output.join('').slice(-2_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return { url, key: KEY, stop };
}

async function isAlive(url: string): Promise<boolean> {
  return fetch(`${url}/health/liveliness`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
