import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../../../../scripts/process/progress.mjs';
import type { AppCommands } from '../apps/app-commands.js';
import type { AppCounts } from '../apps/start-apps.js';
import { type LockedDataDir, lockDataDir } from '../data-dir/lock-data-dir.js';
import { createSupervisor, type Supervisor } from '../process/supervisor.js';
import { bringUp } from './bring-up.js';
import { renderBanner } from './render-banner.js';
import { resolveSettings } from './resolve-settings.js';
import { createRunFile, type RunState } from './run-file.js';

const STOP_SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A terminal and npm both pass the same Ctrl-C on; only a later signal is a second one (milliseconds). */
const SAME_SIGNAL_MS = 1_000;

/** Callbacks for stop signals. */
export interface StopHandlers {
  readonly first: (signal: NodeJS.Signals) => void;
  readonly second: () => void;
}

/**
 * Calls `first` for the first stop signal, and `second` for one that comes more than a second later. Returns the function to
 * unsubscribe.
 */
function handleStopSignals({ first, second }: StopHandlers): () => void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      first(signal);
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      second();
    }
  };
  for (const signal of STOP_SIGNALS) {
    process.on(signal, onSignal);
  }
  return () => {
    for (const signal of STOP_SIGNALS) {
      process.off(signal, onSignal);
    }
  };
}

/** Working copy, settings and programs of a stack. */
export interface RunStackOptions {
  readonly root: string;
  readonly counts: AppCounts;
  readonly dashboard: boolean;
  /** True to apply CATALOG_FILE although an operator's change followed its last version. */
  readonly force: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly commands: AppCommands;
  /** True to show passwords and key at the first start only, for output that others keep, such as the log of a container. */
  readonly showsLoginsOnce?: boolean;
  readonly out: Output;
}

const STOPPED = Symbol('stopped by a signal');

/** Runs the product until a stop signal has ended all processes; throws the error that prevented its start. */
export async function runStack(options: RunStackOptions): Promise<void> {
  const { root, env, out } = options;
  const settings = resolveSettings(env, root);
  const print = (line: string): void => void out.write(`${line}\n`);
  const controller = new AbortController();
  const aborted = new Promise<void>((resolve) =>
    controller.signal.addEventListener('abort', () => resolve()),
  );
  const runFile = createRunFile(settings.dataDir);
  let held: LockedDataDir | undefined;
  let supervisor: Supervisor | undefined;
  let state: RunState | undefined;
  const release = (): void => {
    if (held) {
      runFile.remove();
    }
    held?.release();
  };

  const forget = handleStopSignals({
    first(signal) {
      print(`\n${signal}: stopping (again to stop at once)`);
      controller.abort(STOPPED);
    },
    second() {
      supervisor?.kill();
      release();
      process.exit(130);
    },
  });
  const writeState = (): void => {
    // A stopping stack must not write the file again.
    if (state && !controller.signal.aborted) {
      runFile.write(state);
    }
  };

  try {
    const dataDir = await lockDataDir(settings.dataDir, out, controller.signal);
    held = dataDir;
    supervisor = createSupervisor({
      graceMs: settings.graceMs,
      print,
      onPid: writeState,
      onGuard: dataDir.rememberGuard,
    });
    const up = bringUp({
      ...options,
      settings,
      supervisor,
      print,
      controller,
      onState(next) {
        state = next;
        writeState();
      },
    });
    // After a stop signal the race below ignores errors of the start.
    up.catch(() => undefined);
    // A start notices the stop signal itself, but finishes a migration first.
    state = await Promise.race([
      up,
      aborted.then(() => sleep(settings.graceMs, undefined, { ref: false })).then(() => undefined),
    ]);
    if (state && !controller.signal.aborted) {
      const marker = path.join(settings.dataDir, 'logins-shown');
      const showsLogins = options.showsLoginsOnce !== true || !fs.existsSync(marker);
      out.write(renderBanner(state, { showsLogins }));
      if (options.showsLoginsOnce) {
        fs.writeFileSync(marker, '');
      }
    }
    await aborted;
  } catch (error) {
    if (!controller.signal.aborted) {
      controller.abort(error);
    }
  } finally {
    await supervisor?.stop();
    release();
    forget();
  }
  if (controller.signal.reason !== STOPPED) {
    throw controller.signal.reason;
  }
  print('Stopped.');
}
