import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, LoadResult } from './http-load.js';

/** Puts loads on servers from a process of its own. */
export interface Loader {
  readonly run: (plan: LoadPlan) => Promise<LoadResult>;
  readonly stop: () => void;
}

/** Starts the process that puts loads on servers. */
export function createLoader(): Loader {
  const child = fork(fileURLToPath(new URL('./load-main.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  return {
    run: async (plan) => {
      child.send(plan);
      const [answer] = (await once(child, 'message')) as [{ result?: LoadResult; error?: string }];
      if (!answer.result) {
        throw new Error(`the load broke: ${answer.error}`);
      }
      return answer.result;
    },
    stop: () => void child.kill(),
  };
}
