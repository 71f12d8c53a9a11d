import { setTimeout as sleep } from 'node:timers/promises';
import type { AppCommands } from '../apps/app-commands.js';
import type { Output } from '../plain/progress.mjs';
import { createSupervisor, type Supervisor } from '../process/supervisor.js';
import { banner } from './banner.js';
import { bringUp } from './bring-up.js';
import { type HeldDataDir, holdDataDir } from './hold-data-dir.js';
import { onStopSignals } from './on-stop-signals.js';
import { parseArguments } from './parse-arguments.js';
import { resolveSettings } from './resolve-settings.js';
import { createRunFile, type RunState } from './run-file.js';

export interface RunStackOptions {
  root: string;
  argv: string[];
  env: NodeJS.ProcessEnv;
  cacheDir: string;
  commands: AppCommands;
  out: Output;
}

const stopped = Symbol('stopped by a signal');

/** Runs the whole product until a signal asks it to stop and everything has ended; throws what kept it from starting. */
export async function runStack({ root, argv, env, cacheDir, commands, out }: RunStackOptions): Promise<void> {
  const counts = parseArguments(argv);
  const settings = resolveSettings(env, root);
  const say = (line: string): void => void out.write(`${line}\n`);
  const controller = new AbortController();
  const aborted = new Promise<void>((resolve) =>
    controller.signal.addEventListener('abort', () => resolve()),
  );
  const runFile = createRunFile(settings.dataDir);
  let held: HeldDataDir | undefined;
  let supervisor: Supervisor | undefined;
  let state: RunState | undefined;
  const release = (): void => {
    if (held) runFile.remove();
    held?.release();
  };

  const forget = onStopSignals({
    first(signal) {
      say(`\n${signal}: stopping (again to stop at once)`);
      controller.abort(stopped);
    },
    second() {
      supervisor?.kill();
      release();
      process.exit(130);
    },
  });
  const writeState = (): void => {
    // After the end of a stack nobody is to find it running.
    if (state && !controller.signal.aborted) runFile.write(state);
  };

  try {
    const dataDir = await holdDataDir(settings.dataDir, out, controller.signal);
    held = dataDir;
    supervisor = createSupervisor({
      graceMs: settings.graceMs,
      say,
      onPid: writeState,
      onGuard: dataDir.rememberGuard,
    });
    const up = bringUp({
      ...{ root, env, cacheDir, settings, counts, commands, supervisor, out, say, controller },
      onState(next) {
        state = next;
        writeState();
      },
    });
    // What it says when it is not waited for any more, it has been asked for.
    up.catch(() => undefined);
    // It notices by itself that it is to stop, but finishes migrating first.
    state = await Promise.race([
      up,
      aborted.then(() => sleep(settings.graceMs, undefined, { ref: false })).then(() => undefined),
    ]);
    if (state && !controller.signal.aborted) out.write(banner(state));
    await aborted;
  } catch (error) {
    if (!controller.signal.aborted) controller.abort(error);
  } finally {
    await supervisor?.stop();
    release();
    forget();
  }
  if (controller.signal.reason !== stopped) throw controller.signal.reason;
  say('Stopped.');
}
