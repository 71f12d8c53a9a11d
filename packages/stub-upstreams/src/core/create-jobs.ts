import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, StubProvider } from './behaviour.js';
import type { StubResponse } from './stub-response.js';

/** An asynchronous job. */
export interface Job {
  readonly id: string;
  readonly provider: StubProvider;
  readonly model: string;
  readonly key: string | null;
  /** ImageStore in it are let go when the job has ended. */
  input: Readonly<Record<string, unknown>>;
  readonly behaviour: Behaviour;
  readonly createdAt: number;
  readonly readyAt: number;
  canceledAt: number | null;
  /** Settles when the job has ended well or badly; never for one that was canceled before or that has no end. */
  result: Promise<StubResponse>;
}

/** The jobs of the stub. */
export interface Jobs {
  /** Begins a job; the work is done when its time is over, whether anybody asks for it or not. */
  readonly add: (
    job: Pick<Job, 'provider' | 'model' | 'key' | 'input' | 'behaviour'> & Partial<Pick<Job, 'id'>>,
    work: (job: Job) => Promise<StubResponse>,
  ) => Job;
  /** Null also for the job of another key and for one that is to be forgotten. */
  readonly find: (provider: StubProvider, id: string | null, key: string | null) => Job | null;
  /** Lists the jobs of a key that are not to be forgotten. */
  readonly list: (provider: StubProvider, key: string | null) => Job[];
  readonly clear: () => void;
}

const DEFAULT_JOB_MS = 20;
const LONG_TEXT = 3_000;
const SHOWN = 40;

/** Makes an empty list of jobs. */
export function createJobs(): Jobs {
  const jobs = new Map<string, Job>();
  return {
    add: (given, work) => {
      const createdAt = Date.now();
      const { mode, jobMs = DEFAULT_JOB_MS, queuedMs = 0 } = given.behaviour;
      const wholeMs = queuedMs + jobMs;
      const readyAt = mode === 'endless-job' ? Number.POSITIVE_INFINITY : createdAt + wholeMs;
      const never = new Promise<StubResponse>(() => undefined);
      const id = given.id ?? randomUUID();
      const job: Job = { ...given, id, createdAt, readyAt, canceledAt: null, result: never };
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
    find: (provider, id, key) => {
      const job = jobs.get(id ?? '');
      if (job?.provider !== provider || job.key !== key || job.behaviour.mode === 'job-lost') {
        return null;
      }
      return job;
    },
    list: (provider, key) =>
      [...jobs.values()].filter(
        (job) => job.provider === provider && job.key === key && job.behaviour.mode !== 'job-lost',
      ),
    clear: () => jobs.clear(),
  };
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(cut);
  }
  return typeof value === 'string' && value.length > LONG_TEXT ? value.slice(0, SHOWN) : value;
}
