import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startProgress } from '../process/progress.mjs';

const GUARD_FILE = fileURLToPath(new URL('../process/guard.mjs', import.meta.url));
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const KEPT_LINES = 60;
// The step begins after the guard has its process id, so that a kill of this process always ends the step.
const START_ON_INPUT = 'read -r go && exec "$@" </dev/null';
const COMMAND_NOT_FOUND = 127;

/** Error whose message is all that the person at the terminal needs. @param {string} message */
function bootstrapError(message) {
  return Object.assign(new Error(message), { name: 'BootstrapError' });
}

/** Starts the guard, which ends a step that outlives this process: it would write into the next one's installation. */
function startGuard() {
  const child = spawn(process.execPath, [GUARD_FILE, '1000'], {
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
  const child = spawn('/bin/sh', ['-c', START_ON_INPUT, 'sh', command, ...args], {
    cwd,
    env: env(),
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  if (child.pid) {
    guard.watch(child.pid);
  }
  child.stdin.end('go\n');
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = (signal) => {
    if (child.pid) {
      process.kill(-child.pid, 'SIGKILL');
    }
    progress.end(`stopped by ${signal}`);
    process.exit(EXIT_CODES[signal]);
  };
  for (const signal of Object.keys(EXIT_CODES)) {
    process.on(signal, stop);
  }
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
    if (code === COMMAND_NOT_FOUND && /exec: .*not found/.test(output)) {
      throw bootstrapError(
        `${label} failed: the command ${command} was not found. Is Node.js installed with npm?`,
      );
    }
    const tail = output.trimEnd().split('\n').slice(-KEPT_LINES).join('\n');
    throw bootstrapError(`${label} failed (${signal ?? `exit code ${code}`}):\n\n${tail}\n`);
  } finally {
    for (const signal of Object.keys(EXIT_CODES)) {
      process.off(signal, stop);
    }
    guard.release();
  }
}
