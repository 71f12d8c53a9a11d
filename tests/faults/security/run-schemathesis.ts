import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Result of schemathesis, or the reason why it could not run. */
export type SchemathesisResult =
  | { readonly ran: true; readonly passed: boolean; readonly said: string }
  | { readonly ran: false; readonly why: string };

const VERSION = '4.32.5';
const INSTALL_MS = 180_000;
const RUN_MS = 150_000;

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Installs schemathesis into a virtual environment that is thrown away, and lets it loose on the API's own description. */
export async function runSchemathesis(
  { url, apiKey, seed }: { readonly url: string; readonly apiKey: string; readonly seed: number },
  signal: AbortSignal,
): Promise<SchemathesisResult> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-schemathesis-'));
  const bin = (name: string): string => path.join(folder, 'venv/bin', name);
  try {
    const made = await execute('python3', ['-m', 'venv', path.join(folder, 'venv')], INSTALL_MS, signal);
    if (made.code !== 0) {
      return { ran: false, why: 'there is no Python 3 with venv' };
    }
    const pip = ['install', '-q', '--disable-pip-version-check', `schemathesis==${VERSION}`];
    const installed = await execute(bin('pip'), pip, INSTALL_MS, signal);
    if (installed.code !== 0) {
      return { ran: false, why: 'schemathesis could not be installed from PyPI' };
    }
    const args = [
      'run',
      `${url}/v1/openapi.json`,
      '--url',
      url,
      '--no-color',
      '--seed',
      String(seed),
      '--header',
      `Authorization: Bearer ${apiKey}`,
      '--phases',
      'examples,fuzzing',
      '--checks',
      'not_a_server_error,content_type_conformance,response_schema_conformance',
      '--max-examples',
      '40',
      '--max-time',
      '90',
      '--request-timeout',
      '10',
      '--generation-database',
      'none',
    ];
    const { code, said } = await execute(bin('schemathesis'), args, RUN_MS, signal, folder);
    return { ran: true, passed: code === 0, said: said.slice(-1_500) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function execute(
  file: string,
  args: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
  cwd: string = os.tmpdir(),
): Promise<Ended> {
  return new Promise((resolve) => {
    const child: ChildProcess = spawn(file, [...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const note = (part: Buffer): void => {
      said += part.toString();
    };
    child.stdout?.on('data', note);
    child.stderr?.on('data', note);
    const stop = (): void => void child.kill('SIGKILL');
    const late = setTimeout(stop, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    const finish = (code: number | null): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
      resolve({ code, said });
    };
    child.once('error', () => finish(null));
    child.once('close', finish);
  });
}
