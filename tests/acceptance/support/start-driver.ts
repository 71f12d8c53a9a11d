import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Result of a call of a client: what it returned, or the fields of its error. */
export interface Outcome {
  readonly value?: unknown;
  /** Warnings of the client. */
  readonly said?: readonly string[];
  readonly error?: {
    readonly name: string;
    readonly code?: string | null;
    readonly status?: number | null;
    readonly request_id?: string | null;
    readonly task?: { readonly id: string; readonly status: string } | null;
    readonly idempotency_key?: string | null;
    readonly message: string;
  };
}

/** One client in a process of its own. */
export type Driver = ReturnType<typeof startDriver>;

/** Clients that are tested, by name. */
export type ClientName = 'TypeScript' | 'Python' | 'Python async';

/** Python of the virtual environment that `preparePython` makes. */
export const python = path.join(root, '.cache/clients/python/bin/python');
/** Environment in which Python finds the client. */
export const pythonEnvironment = { PYTHONPATH: path.join(root, 'clients/python/src') };

/** Makes a virtual environment with httpx, once; returns false where there is no Python or PyPI does not answer. */
export async function preparePython(): Promise<boolean> {
  try {
    if (!existsSync(python)) {
      await run('python3', ['-m', 'venv', path.dirname(path.dirname(python))], { timeout: 60_000 });
    }
    const has = await run(python, ['-c', 'import httpx']).then(
      () => true,
      () => false,
    );
    if (!has) {
      const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'httpx>=0.27,<1'];
      await run(python, args, { timeout: 120_000 });
    }
    return true;
  } catch {
    return false;
  }
}

/** Starts a client with the address of the gateway and a key. */
export function startDriver(
  client: ClientName,
  { url, key }: { readonly url: string; readonly key: string },
) {
  const folder = path.join(root, 'tests/acceptance/clients');
  const [program, file, ...more] =
    client === 'TypeScript'
      ? [process.execPath, 'drive.mjs']
      : [python, 'drive.py', client === 'Python' ? 'sync' : 'async'];
  const child = spawn(program, [path.join(folder, file), url, key, ...more], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', ...pythonEnvironment },
  });
  const waiting = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: Error) => void }>();
  let calls = 0;
  const { stdout, stdin } = child;
  createInterface({ input: stdout }).on('line', (line) => {
    const { nr, ...outcome } = JSON.parse(line) as Outcome & { nr: number };
    waiting.get(nr)?.resolve(outcome);
    waiting.delete(nr);
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.on('close', (code) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`the ${client} client ended with code ${code}`));
    }
  });
  return {
    /** Makes a call, beside others, and resolves with its outcome. */
    call: (name: string, args: Readonly<Record<string, unknown>> = {}) =>
      new Promise<Outcome>((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve, reject });
        stdin.write(`${JSON.stringify({ nr: calls, call: name, ...args })}\n`);
      }),
    close: () => {
      stdin.end();
      return ended;
    },
  };
}
