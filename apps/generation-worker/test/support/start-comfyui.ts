import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';

/** Running ComfyUI, with folders of its own. */
export interface Comfyui {
  readonly url: string;
  /** Ids of its queue: first the one that runs. */
  readonly queue: () => Promise<{ readonly running: string[]; readonly pending: string[] }>;
  /** Outcome (`success`, `error`) of each workflow that has begun and ended, by its id. */
  readonly history: () => Promise<Readonly<Record<string, string>>>;
  /** Names and contents of its input images. */
  readonly inputs: () => Promise<Readonly<Record<string, Buffer>>>;
  /** Writes an input image, as another user of the server would. */
  readonly putInput: (name: string, bytes: Buffer) => Promise<void>;
  /** Kills it as a power failure would, and starts it again at the same address. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const START_MS = 150_000;

/** Starts the server of an installation: its folder, and the Python that has its requirements. */
export async function startComfyui(folder: string, python: string): Promise<Comfyui> {
  const [base, port] = await Promise.all([mkdtemp(path.join(tmpdir(), 'comfyui-')), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  await mkdir(path.join(base, 'custom_nodes'));
  const own = ['--base-directory', base, '--database-url', 'sqlite:///:memory:', '--disable-auto-launch'];
  const args = ['main.py', '--cpu', '--listen', '127.0.0.1', '--port', String(port), '--disable-api-nodes'];
  const output: string[] = [];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const process_ = spawn(python, [...args, ...own], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: base, DO_NOT_TRACK: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = process_;
    for (const stream of [process_.stdout, process_.stderr]) {
      stream.on('data', (part: Buffer) => output.push(part.toString()));
    }
    await eventually(
      async () => {
        if (process_.exitCode !== null || !(await isAlive(url))) {
          throw new Error(`ComfyUI does not serve: ${output.join('').slice(-2_000)}`);
        }
      },
      { timeoutMs: START_MS },
    );
  };
  const kill = async (): Promise<void> => {
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  };
  const read = async (place: string): Promise<unknown> => (await fetch(`${url}${place}`)).json();
  await start();
  return {
    url,
    queue: async () => {
      const queue = (await read('/queue')) as Record<'queue_running' | 'queue_pending', [number, string][]>;
      const list = (items: readonly [number, string][]) => items.map(([, id]) => id);
      return { running: list(queue.queue_running), pending: list(queue.queue_pending) };
    },
    history: async () => {
      const history = (await read('/history')) as Record<string, { status?: { status_str?: string } }>;
      return Object.fromEntries(
        Object.entries(history).map(([id, { status }]) => [id, status?.status_str ?? 'unknown']),
      );
    },
    inputs: async () => {
      const names = (await readdir(path.join(base, 'input'))).filter((name) => name.startsWith('gateway-'));
      const files = names.map(
        async (name) => [name, await readFile(path.join(base, 'input', name))] as const,
      );
      return Object.fromEntries(await Promise.all(files));
    },
    putInput: (name, bytes) => writeFile(path.join(base, 'input', name), bytes),
    restart: async () => {
      await kill();
      await start();
    },
    stop: async () => {
      await kill();
      await rm(base, { recursive: true });
    },
  };
}

const isAlive = (url: string): Promise<boolean> =>
  fetch(`${url}/system_stats`).then(
    ({ ok }) => ok,
    () => false,
  );
