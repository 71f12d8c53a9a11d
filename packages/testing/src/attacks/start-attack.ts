import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AttackPlan } from './attack-kinds.js';

const extension = path.extname(fileURLToPath(import.meta.url));
const MAIN = fileURLToPath(new URL(`./attack-main${extension}`, import.meta.url));
const SOURCES = ['--conditions=@image-gateway/source', '--import', 'tsx'];

/** An attack that goes on. */
export type RunningAttack = ReturnType<typeof startAttack>;

/** Begins an attack from a process of its own. */
export function startAttack(plan: AttackPlan) {
  const child = fork(MAIN, { execArgv: extension === '.ts' ? SOURCES : [] });
  const said = once(child, 'message') as Promise<
    [{ readonly answers?: Readonly<Record<string, number>>; readonly error?: string }]
  >;
  // It may fail before it is asked to stop.
  said.catch(() => undefined);
  child.send(plan);
  return {
    /** Ends it; returns how often each status or error was answered. */
    stop: async () => {
      child.send('stop');
      try {
        const [{ answers, error }] = await said;
        if (answers === undefined) {
          throw new Error(`the attack broke: ${error}`);
        }
        return answers;
      } finally {
        child.kill('SIGKILL');
      }
    },
  };
}
