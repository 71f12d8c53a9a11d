import { spawn } from 'node:child_process';
import path from 'node:path';
import { startTestServices } from '@image-gateway/local-stack';
import type { Prey } from './hunt.js';

// More than the limits of several tests that hang.
const HUNT_MS = 900_000;
/** How long a test waits for what a defect has made impossible, in milliseconds. */
const PATIENCE_MS = 15_000;
/** Headline of a test that failed, in the report of Jest; a file that could not be loaded has another one. */
const FAILED_TEST = /^\s*● (?!Test suite failed to run)(.+)$/m;

/** Placeholder of `test.each` in a title whose special characters are escaped. */
const PLACEHOLDER = /%(?:\\\.\d+)?[a-z]|\\\$\w+/g;

/** Tests to run: those of a file, or those of them whose title this is. */
interface Quarry {
  readonly file: string;
  readonly red: string | undefined;
}

/** Returns whether a test starts the product by itself. */
const isAcceptanceTest = (file: string): boolean => file.startsWith('tests/acceptance/');

/** Runs one test file in a checkout, on services of its own. Throws Error when no test ran, or the product did not start. */
export async function huntByTest(root: string, quarry: Quarry, signal: AbortSignal): Promise<Prey> {
  const env = { ...process.env, NODE_ENV: 'test', TEST_PATIENCE_MS: String(PATIENCE_MS) };
  if (isAcceptanceTest(quarry.file)) {
    return judgeRun(await runJest(root, quarry, env, signal));
  }
  const services = await startTestServices({
    wanted: new Set(['postgres', 'redis', 's3']),
    cacheDir: path.join(root, '.cache'),
    out: process.stderr,
    signal,
  });
  try {
    return judgeRun(await runJest(root, quarry, { ...env, ...services.env }, signal));
  } finally {
    await services.stop();
  }
}

/** Returns the headline of the first test that failed, null when all passed. Throws Error when the report shows no test that ran. */
export function judgeRun({ code, report }: JestRun): Prey {
  const failed = FAILED_TEST.exec(report)?.[1];
  const isNoTest = code !== 0 && failed === undefined;
  if (
    isNoTest ||
    report.includes('did not become ready') ||
    /^Tests: +\d+ skipped, \d+ total/m.test(report)
  ) {
    throw new Error(`no test ran: ${report.slice(-600)}`);
  }
  return code === 0 ? null : (failed ?? null);
}

/** Returns a pattern of the title as Jest compares it. */
function toPattern(title: string): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(PLACEHOLDER, '.*');
}

/** End of a run of Jest: its exit code and what it reported. */
export interface JestRun {
  readonly code: number;
  readonly report: string;
}

function runJest(
  root: string,
  { file, red }: Quarry,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<JestRun> {
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const projects = isAcceptanceTest(file) ? ['acceptance'] : ['unit', 'integration'];
  const args = [
    '--selectProjects',
    ...projects,
    ...(red === undefined ? [] : ['--testNamePattern', toPattern(red)]),
    '--forceExit',
    '--runInBand',
    '--runTestsByPath',
    file,
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--experimental-vm-modules', '--no-warnings', jest, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const late = setTimeout(() => child.kill('SIGKILL'), HUNT_MS);
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    let report = '';
    child.stderr.on('data', (part: Buffer) => (report += part.toString()));
    child.on('close', (code) => {
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
      resolve({ code: code ?? 1, report });
    });
  });
}
