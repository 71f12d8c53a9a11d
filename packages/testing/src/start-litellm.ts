import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.js';

/** Running LiteLLM proxy. */
export interface Litellm {
  readonly url: string;
  readonly key: string;
  readonly stop: () => Promise<void>;
}

const KEY = 'sk-litellm-of-a-test';
const START_MS = 150_000;

/** Starts LiteLLM with the text of a config file and these settings. Throws Error when it does not serve. */
export async function startLitellm(
  program: string,
  {
    config,
    settings = {},
  }: { readonly config: string; readonly settings?: Readonly<Record<string, string>> },
): Promise<Litellm> {
  const [folder, port] = await Promise.all([mkdtemp(path.join(tmpdir(), 'litellm-')), freePort()]);
  const file = path.join(folder, 'config.yaml');
  await writeFile(file, config);
  const output: string[] = [];
  const child = spawn(program, ['--config', file, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    // The price list of the package: LiteLLM would ask GitHub for it at each start. No DATABASE_URL, which it would use.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LITELLM_MASTER_KEY: KEY,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      ...settings,
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
