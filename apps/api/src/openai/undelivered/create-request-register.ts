import { randomUUID } from 'node:crypto';
import { type Database, takeSweepTurn } from '@image-gateway/shared/db';
import { repeat, type Shutdown } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { abandonUnknownRequests } from '../requests/end-request.js';
import { removeOldRequests, renewProcess } from '../requests/keep-requests.js';

/** Requests of the facade that wait in this process. */
export interface RequestRegister {
  readonly processId: string;
  /** Adds a request, which counts as waiting until it is closed, and returns its id. */
  readonly open: () => string;
  /** Lets equal requests wait until `end` is over, which records how a request ended. Never rejects. */
  readonly awaitEnd: (equals: string, end: Promise<void>) => Promise<void>;
  /** Removes a request once `write`, which records how it ended, is over. Equal requests wait for that. */
  readonly close: (requestId: string, equals: string, write: Promise<void>) => Promise<void>;
  /** Resolves when all ends of requests that are equal to this one are recorded. */
  readonly settled: (equals: string) => Promise<void>;
  /** True during the first seconds of the process: its predecessor may have died a moment ago. */
  readonly isYoung: () => boolean;
}

/** Dependencies of the register. */
export interface RegisterDeps {
  readonly db: Pick<Database, 'run'>;
  readonly logger: Logger;
  readonly shutdown: Pick<Shutdown, 'register'>;
  /** Times in milliseconds. */
  readonly times?: {
    readonly renewMs: number;
    readonly checkMs: number;
    readonly sweepMs: number;
    readonly youngMs: number;
  };
}

const TIMES = { renewMs: 1_000, checkMs: 5_000, sweepMs: 10_000, youngMs: 5_000 };

/** Creates the register of a process. While it has requests, one statement a second renews the lease of all of them. */
export function createRequestRegister({
  db,
  logger,
  shutdown,
  times = TIMES,
}: RegisterDeps): RequestRegister {
  const processId = randomUUID();
  const startedAt = performance.now();
  const open = new Set<string>();
  const writes = new Map<string, Set<Promise<void>>>();
  const ending = new AbortController();
  const { signal } = ending;
  let isUsed = false;

  const renew = async (): Promise<void> => (open.size > 0 ? renewProcess(db, processId) : undefined);
  const check = async (): Promise<void> =>
    isUsed ? abandonUnknownRequests(db, { processId, known: [...open] }) : undefined;
  const sweep = async (): Promise<void> => {
    if (await takeSweepTurn(db, { name: 'facade requests', everyMs: times.sweepMs })) {
      await removeOldRequests(db);
    }
  };
  // A lease that could not be renewed ends, and the answers of its requests can be taken over: nothing is lost.
  const onError = (error: unknown): void => {
    logger.debug('could not keep waiting requests', { error });
  };
  const loops = [
    repeat(renew, { everyMs: times.renewMs, signal, onError }),
    repeat(check, { everyMs: times.checkMs, signal, onError }),
    repeat(sweep, { everyMs: times.sweepMs, signal, onError }),
  ];
  shutdown.register('work', 'waiting requests', async () => {
    ending.abort();
    await Promise.all([...loops, ...[...writes.values()].flatMap((all) => [...all])]);
  });

  const awaitEnd = (equals: string, end: Promise<void>): Promise<void> => {
    const equal = writes.get(equals) ?? new Set();
    const over = end.catch(onError).then(() => {
      equal.delete(over);
      if (equal.size === 0 && writes.get(equals) === equal) {
        writes.delete(equals);
      }
    });
    writes.set(equals, equal.add(over));
    return over;
  };

  return {
    processId,
    awaitEnd,
    open: () => {
      const requestId = randomUUID();
      isUsed = true;
      open.add(requestId);
      return requestId;
    },
    close: async (requestId, equals, write) => {
      await awaitEnd(equals, write);
      open.delete(requestId);
    },
    settled: async (equals) => {
      await Promise.all([...(writes.get(equals) ?? new Set<Promise<void>>())]);
    },
    isYoung: () => performance.now() - startedAt < times.youngMs,
  };
}
