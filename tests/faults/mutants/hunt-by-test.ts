import { spawn } from 'node:child_process';
import path from 'node:path';
import { startTestServices } from '@image-gateway/local-stack';
import type { Prey } from './hunt.js';

const HUNT_MS = 300_000;
/** Headline of a test that failed, in the report of Jest. */
const FAILED_TEST = /^\s*● (.+)$/m;

/** Runs one test file in a checkout, on services of its own. Throws Error when no test ran. */
export async function huntByTest(root: string, file: string, signal: AbortSignal): Promise<Prey> {
  const services = await startTestServices({
    wanted: new Set(['postgres', 'redis', 's3']),
    cacheDir: path.join(root, '.cache'),
    out: process.stderr,
    signal,
  });
  try {
    const { code, report } = await runJest(root, file, { ...process.env, ...services.env, NODE_ENV: 'test' });
    const failed = FAILED_TEST.exec(report)?.[1];
    if (code !== 0 && failed === undefined) {
      throw new Error(`no test ran: ${report.slice(-600)}`);
    }
    return code === 0 ? null : (failed ?? null);
  } finally {
    await services.stop();
  }
}

function runJest(
  root: string,
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly report: string }> {
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const args = [
    '--selectProjects',
    'unit',
    'integration',
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
    let report = '';
    child.stderr.on('data', (part: Buffer) => (report += part.toString()));
    child.on('close', (code) => {
      clearTimeout(late);
      resolve({ code: code ?? 1, report });
    });
  });
}
