import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startProgress } from '../packages/local-stack/src/plain/progress.mjs';
import { bootstrapError } from './bootstrap-error.mjs';

const guardFile = fileURLToPath(new URL('../packages/local-stack/src/plain/guard.mjs', import.meta.url));
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const keptLines = 60;
// The step begins when the guard has been told of it: whoever ends us before that ends the step as well.
const held = 'read -r go && exec "$@" </dev/null';
const notFound = 127;

/** A step that outlives its caller would write into the next one's installation: the guard ends it in any case. */
function startGuard() {
  const child = spawn(process.execPath, [guardFile, '1000'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    watch: (pid) => child.stdin.write(`+${pid} app SIGTERM\n`),
    release: () => child.stdin.end('quit\n'),
  };
}

/**
 * Runs one step of the bootstrap with one line of progress; a failure shows the end of its output.
 * A signal to us ends the step with all its processes, and then us.
 * @param {{ label: string, command: string, args: string[], env: () => NodeJS.ProcessEnv, cwd: string,
 *   goodEnough?: number[], out: { write(text: string): unknown, isTTY?: boolean } }} step
 * @returns {Promise<boolean>} false when it ended with one of the exit codes that are good enough to go on
 */
export async function runStep({ label, command, args, env, cwd, out, goodEnough = [] }) {
  const progress = startProgress(out, label);
  const guard = startGuard();
  const child = spawn('/bin/sh', ['-c', held, 'sh', command, ...args], { cwd, env: env(), detached: true });
  child.stdin.on('error', () => undefined);
  if (child.pid) guard.watch(child.pid);
  child.stdin.end('go\n');
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = (signal) => {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    progress.end(`stopped by ${signal}`);
    process.exit(codes[signal]);
  };
  for (const signal of Object.keys(codes)) process.on(signal, stop);
  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (...result) => resolve(result));
    });
    if (code === 0) {
      progress.end();
      return true;
    }
    if (goodEnough.includes(code)) {
      progress.end(`done, with errors (exit code ${code})`);
      return false;
    }
    progress.end('failed');
    if (code === notFound && /exec: .*not found/.test(output)) {
      throw bootstrapError(
        `${label} failed: the command ${command} was not found. Is Node.js installed with npm?`,
      );
    }
    const tail = output.trimEnd().split('\n').slice(-keptLines).join('\n');
    throw bootstrapError(`${label} failed (${signal ?? `exit code ${code}`}):\n\n${tail}\n`);
  } finally {
    for (const signal of Object.keys(codes)) process.off(signal, stop);
    guard.release();
  }
}
