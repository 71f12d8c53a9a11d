import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, killProcess, startService } from '@image-gateway/testing';

/** Running ComfyUI, with folders of its own. */
export type Comfyui = Awaited<ReturnType<typeof startComfyui>>;

/** Starts the server of an installation: its folder, and the Python that has its requirements. */
export async function startComfyui(folder: string, python: string) {
  const [base, port] = await Promise.all([mkdtemp(path.join(tmpdir(), 'comfyui-')), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  await mkdir(path.join(base, 'custom_nodes'));
  const own = ['--base-directory', base, '--database-url', 'sqlite:///:memory:', '--disable-auto-launch'];
  const args = ['main.py', '--cpu', '--listen', '127.0.0.1', '--port', String(port), '--disable-api-nodes'];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = await startService(python, [...args, ...own], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: base, DO_NOT_TRACK: '1' },
      probe: `${url}/system_stats`,
    });
  };
  const read = async (place: string): Promise<unknown> => (await fetch(`${url}${place}`)).json();
  await start();
  return {
    url,
    /** Ids of its queue: first the one that runs. */
    queue: async () => {
      const queue = (await read('/queue')) as Record<'queue_running' | 'queue_pending', [number, string][]>;
      const list = (items: readonly [number, string][]) => items.map(([, id]) => id);
      return { running: list(queue.queue_running), pending: list(queue.queue_pending) };
    },
    /** Outcome (`success`, `error`) of each workflow that has begun and ended, by its id. */
    history: async () => {
      const history = (await read('/history')) as Record<string, { status?: { status_str?: string } }>;
      return Object.fromEntries(
        Object.entries(history).map(([id, { status }]) => [id, status?.status_str ?? 'unknown']),
      );
    },
    /** Names and contents of its input images. */
    inputs: async (): Promise<Readonly<Record<string, Buffer>>> => {
      const names = (await readdir(path.join(base, 'input'))).filter((name) => name.startsWith('gateway-'));
      const files = names.map(
        async (name) => [name, await readFile(path.join(base, 'input', name))] as const,
      );
      return Object.fromEntries(await Promise.all(files));
    },
    /** Writes an input image, as another user of the server would. */
    putInput: (name: string, bytes: Buffer) => writeFile(path.join(base, 'input', name), bytes),
    /** Kills it as a power failure would, and starts it again at the same address. */
    restart: async () => {
      await killProcess(child);
      await start();
    },
    stop: async () => {
      await killProcess(child);
      await rm(base, { recursive: true });
    },
  };
}
