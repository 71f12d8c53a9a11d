import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, StubProvider } from './behaviour.js';
import type { StubResponse } from './call.js';

/** An asynchronous job. */
export interface Job {
  readonly id: string;
  readonly provider: StubProvider;
  readonly model: string;
  readonly key: string | null;
  /** Long texts in it are cut when the job has ended. */
  input: Readonly<Record<string, unknown>>;
  readonly behaviour: Behaviour;
  readonly createdAt: number;
  readonly readyAt: number;
  canceledAt: number | null;
  /** Settles when the job has ended well or badly; never for one that was canceled before or that has no end. */
  result: Promise<StubResponse>;
}

const DEFAULT_JOB_MS = 20;
const LONG_TEXT = 3_000;
const SHOWN = 40;

/** The jobs of the stub. */
export type Jobs = ReturnType<typeof createJobs>;

/** Makes an empty list of jobs. */
export function createJobs() {
  const jobs = new Map<string, Job>();
  /** Lists the jobs of a key that are not to be forgotten. */
  const list = (provider: StubProvider, key: string | null): Job[] =>
    [...jobs.values()].filter(
      (job) => job.provider === provider && job.key === key && job.behaviour.mode !== 'job-lost',
    );
  return {
    list,
    /** Begins a job; the work is done when its time is over, whether anybody asks for it or not. */
    add: (
      given: Pick<Job, 'provider' | 'model' | 'key' | 'input' | 'behaviour'> & Partial<Pick<Job, 'id'>>,
      work: (job: Job) => StubResponse | Promise<StubResponse>,
    ): Job => {
      const createdAt = Date.now();
      const { mode, jobMs = DEFAULT_JOB_MS, queuedMs = 0 } = given.behaviour;
      const wholeMs = mode === 'endless-job' ? Number.POSITIVE_INFINITY : queuedMs + jobMs;
      const never = new Promise<StubResponse>(() => undefined);
      const times = { createdAt, readyAt: createdAt + wholeMs, canceledAt: null };
      const job: Job = { id: randomUUID(), ...given, ...times, result: never };
      if (mode !== 'endless-job') {
        job.result = sleep(wholeMs, undefined, { ref: false }).then(async () => {
          if (job.canceledAt !== null) {
            return never;
          }
          const result = await work(job);
          job.input = Object.fromEntries(
            Object.entries(job.input).map(([name, value]) => [name, cut(value)]),
          );
          return result;
        });
      }
      jobs.set(job.id, job);
      return job;
    },
    /** Null also for the job of another key and for one that is to be forgotten. */
    find: (provider: StubProvider, id: string | null, key: string | null): Job | null =>
      list(provider, key).find((job) => job.id === id) ?? null,
  };
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(cut);
  }
  return typeof value === 'string' && value.length > LONG_TEXT ? value.slice(0, SHOWN) : value;
}
