import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MEMORY_FLAGS } from '@image-gateway/local-stack';
import { repositoryRoot, TURN_METER_ARGS } from '@image-gateway/testing';
import type { Guard } from './start-guard.js';
import type { LogWatch } from './watch-log.js';

/** Which program of the product, under which name, with which settings. */
export interface ProcessToStart {
  readonly name: string;
  /** `api`, `generation-worker` or `webhook-worker`. */
  readonly app: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the built release; this checkout unless given. */
  readonly root?: string;
}

/** A process of the product, started again whenever it ends, unless it is kept down. */
export interface LabProcess {
  readonly name: string;
  readonly pid: () => number | null;
  /** How often it ended without having been told to. */
  readonly deaths: () => number;
  readonly kill: () => void;
  /** Kills it and leaves it so until `up`. */
  readonly down: () => Promise<void>;
  /** SIGTERM; resolves with the milliseconds that it took to end. It is started again by `up` only. */
  readonly terminate: () => Promise<number>;
  readonly up: () => void;
  readonly pause: () => void;
  readonly wake: () => void;
  /** Blocks its event loop for so long as FAULTS_BLOCK_MS of its settings says. */
  readonly block: () => void;
  /** Kills it for good. */
  readonly discard: () => Promise<void>;
  /** Other settings, or a log on a full disk, from its next start on. */
  readonly change: (change: {
    readonly env?: Readonly<Record<string, string>>;
    readonly logTo?: string;
  }) => void;
}

const RESTART_MS = 50;
const hooks = fileURLToPath(new URL('../hooks/process-hooks.mjs', import.meta.url));

/** Starts a compiled program of the product and keeps it running. */
export function startProcess(
  { guard, log }: { readonly guard: Guard; readonly log: LogWatch },
  { name, app, env, root = repositoryRoot() }: ProcessToStart,
): LabProcess {
  const main = path.join(root, 'apps', app, 'dist/main.js');
  const flags = app === 'webhook-worker' ? [] : MEMORY_FLAGS;
  const meter = app === 'api' ? [...flags, ...TURN_METER_ARGS] : flags;
  let child: ChildProcess | null = null;
  let keptDown = false;
  let discarded = false;
  let deaths = 0;
  let changed: Readonly<Record<string, string>> = {};
  let logTo: string | undefined;

  const start = (): void => {
    if (child !== null || keptDown || discarded) {
      return;
    }
    const file = logTo === undefined ? null : openSync(logTo, 'w');
    const started = spawn(process.execPath, ['--import', hooks, ...meter, main], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ...env, ...changed },
      stdio: ['ignore', file ?? 'pipe', file ?? 'pipe'],
      detached: true,
    });
    if (file !== null) {
      closeSync(file);
    }
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      if (stream) {
        log.take(name, stream);
      }
    }
    if (started.pid !== undefined) {
      guard.add(started.pid);
    }
    started.once('exit', () => {
      if (started.pid !== undefined) {
        guard.remove(started.pid);
      }
      child = null;
      if (keptDown) {
        return;
      }
      deaths += 1;
      setTimeout(start, RESTART_MS);
    });
  };
  const send = (signal: NodeJS.Signals): void => void child?.kill(signal);
  const end = async (signal: NodeJS.Signals): Promise<number> => {
    keptDown = true;
    const begun = performance.now();
    if (child !== null) {
      const ended = once(child, 'exit');
      send(signal);
      await ended;
    }
    return performance.now() - begun;
  };
  start();
  return {
    name,
    pid: () => child?.pid ?? null,
    deaths: () => deaths,
    kill: () => send('SIGKILL'),
    down: async () => void (await end('SIGKILL')),
    terminate: () => end('SIGTERM'),
    up: () => {
      keptDown = false;
      start();
    },
    pause: () => send('SIGSTOP'),
    wake: () => send('SIGCONT'),
    block: () => send('SIGUSR2'),
    discard: async () => {
      discarded = true;
      send('SIGCONT');
      await end('SIGKILL');
    },
    change: (change) => {
      changed = change.env ?? {};
      logTo = change.logTo;
    },
  };
}
