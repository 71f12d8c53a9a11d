import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../../../../scripts/process/lock-file.mjs';
import { startedAt } from '../../../../scripts/process/process-identity.mjs';
import { type Output, startProgress } from '../../../../scripts/process/progress.mjs';
import { StackError } from '../stack-error.js';
import { readJson, writePrivateJson } from './private-json.js';

interface Identity {
  readonly pid: number;
  readonly startedAt: string | null;
}

/** Data folder that this run has locked. */
export interface LockedDataDir {
  /** Records the guard process of this run, for which the next run waits. */
  readonly rememberGuard: (pid: number) => void;
  readonly release: () => void;
}

/** Locks the data folder for this run, after the processes of a killed run have ended. Throws StackError while another run holds it. */
export async function lockDataDir(dataDir: string, out: Output, signal: AbortSignal): Promise<LockedDataDir> {
  try {
    fs.mkdirSync(dataDir, { recursive: true });
    fs.accessSync(dataDir, fs.constants.W_OK);
  } catch (error) {
    throw new StackError(
      `The data folder cannot be used: ${(error as Error).message}. Set DATA_DIR to another one.`,
    );
  }
  const lock = takeLock(path.join(dataDir, 'start.lock'));
  if (!lock.taken) {
    throw new StackError(
      `image-gateway already runs on ${dataDir} (process ${lock.holder.pid}). Stop it first, or set DATA_DIR and PORT for a second one.`,
    );
  }
  const guardFile = path.join(dataDir, 'guard.json');
  const last = readJson<Identity>(guardFile);
  const isGuardAlive = (): boolean =>
    last !== null && last.startedAt !== null && startedAt(last.pid) === last.startedAt;
  if (isGuardAlive()) {
    const progress = startProgress(out, 'The last run was killed, waiting for its processes to stop');
    try {
      while (isGuardAlive()) {
        await sleep(100, undefined, { signal });
      }
    } catch (error) {
      lock.release();
      throw error;
    }
    progress.end();
  }
  return {
    rememberGuard: (pid) => writePrivateJson(guardFile, { pid, startedAt: startedAt(pid) }),
    release: () => {
      fs.rmSync(guardFile, { force: true });
      lock.release();
    },
  };
}
