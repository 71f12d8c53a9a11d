import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { killGroup } from './kill-group.js';

/** End of a program and its output. */
export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** True when the program does not exist. */
  readonly missing: boolean;
}

/** Input, limits and surroundings of a program. */
export interface RunOptions extends Pick<SpawnOptions, 'env' | 'cwd' | 'uid' | 'gid'> {
  readonly input?: string;
  /** Time after which the process group is killed (milliseconds). */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives each whole line of standard error as it comes. */
  readonly onErrorLine?: ((line: string) => void) | undefined;
}

/** Runs a program in a process group of its own to its end; a failing one is a result, not an error. */
export function run(file: string, args: string[], options: RunOptions = {}): Promise<RunResult> {
  const { input, timeoutMs, signal, onErrorLine, ...spawnOptions } = options;
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(file, args, { ...spawnOptions, detached: true, stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    const kill = (): void => {
      if (child.pid !== undefined) {
        killGroup(child.pid, 'SIGKILL');
      }
    };
    const late = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
    signal?.addEventListener('abort', kill, { once: true });
    const finish = (result: Pick<RunResult, 'code' | 'signal' | 'missing'>): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', kill);
      resolve({ ...result, stdout, stderr });
    };
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const shown = stderr.lastIndexOf('\n') + 1;
      stderr += chunk;
      for (const line of stderr.slice(shown).split('\n').slice(0, -1)) {
        onErrorLine?.(line);
      }
    });
    // A program may end without reading its input; its exit code decides.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      if (error.code === 'ENOENT') {
        finish({ code: null, signal: null, missing: true });
      } else {
        reject(error);
      }
    });
    child.once('close', (code, endSignal) => finish({ code, signal: endSignal, missing: false }));
    if (signal?.aborted) {
      kill();
    }
  });
}
