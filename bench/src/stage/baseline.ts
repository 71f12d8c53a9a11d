import path from 'node:path';
import { findFreePort } from '@image-gateway/local-stack';
import type { Bench } from './bench.js';
import { type Program, startProgram } from './start-program.js';

/** Starts a program of `bench/baseline` with these settings. */
export async function startBaseline(
  { root, folder }: Pick<Bench, 'root' | 'folder'>,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  return startProgram({
    name,
    folder,
    url,
    readyUrl: `${url}/healthz`,
    args: [path.join(root, 'bench/baseline', `${name}.mjs`)],
    env: { NODE_ENV: 'production', PORT: String(port), ...settings },
  });
}
