import { type IdPrefix, isId } from '../../domain/ids/index.js';

/** The hint that a task may be due. */
export interface GenerationJob {
  readonly taskId: string;
  /** The task's attempt when the hint was written. */
  readonly attempt: number;
  readonly traceId: string;
}

/** The hint that a webhook delivery may be due. */
export interface WebhookJob {
  readonly deliveryId: string;
  /** The delivery's attempt when the hint was written. */
  readonly attempt: number;
  readonly traceId: string;
}

/** What each kind of job carries: ids only, since the database row is the truth. */
export interface JobPayloads {
  readonly generation: GenerationJob;
  readonly webhook: WebhookJob;
}

/** The name of a kind of job. */
export type JobName = keyof JobPayloads;

interface JobDefinition<P> {
  readonly queue: string;
  /** Reads what came out of Redis; throws RangeError for anything but a payload of this kind. */
  readonly parse: (data: unknown) => P;
  /** The same hint twice is one job, as long as the first one has not ended. */
  readonly jobId: (payload: P) => string;
}

/** All jobs there are: where they wait, what they carry, and by which id they are told apart. */
export const jobs = {
  generation: {
    queue: 'generation',
    parse: (data: unknown): GenerationJob => {
      const fields = asRecord(data);
      return {
        taskId: idIn(fields, 'taskId', 'gen'),
        attempt: attemptIn(fields),
        traceId: traceIdIn(fields),
      };
    },
    jobId: ({ taskId, attempt }: GenerationJob) => `${taskId}-${attempt}`,
  },
  webhook: {
    queue: 'webhook',
    parse: (data: unknown): WebhookJob => {
      const fields = asRecord(data);
      return {
        deliveryId: idIn(fields, 'deliveryId', 'msg'),
        attempt: attemptIn(fields),
        traceId: traceIdIn(fields),
      };
    },
    jobId: ({ deliveryId, attempt }: WebhookJob) => `${deliveryId}-${attempt}`,
  },
} as const satisfies { readonly [N in JobName]: JobDefinition<JobPayloads[N]> };

/** The name of a queue. */
export type QueueName = (typeof jobs)[JobName]['queue'];

/** The jobs that wait in a queue. */
export type QueueJobName<Q extends QueueName> = {
  [N in JobName]: (typeof jobs)[N]['queue'] extends Q ? N : never;
}[JobName];

/**
 * How every job is kept: tried once, since the sweeps of the database decide about another try, and forgotten as soon as
 * it ends, since a finished job that is kept would make the next hint with the same id a silent no-op.
 */
export const JOB_POLICY = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** What all keys of the queues begin with; the braces keep the keys of one queue in one slot of a cluster. */
export const DEFAULT_PREFIX = '{gw}';

/** Returns the fields of a payload; throws RangeError unless it is an object. */
function asRecord(data: unknown): Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new RangeError('the payload is no object');
  return data as Record<string, unknown>;
}

/** Returns an id such as `gen_…` of a payload; throws RangeError for anything else. */
function idIn(fields: Readonly<Record<string, unknown>>, name: string, prefix: IdPrefix): string {
  const value = fields[name];
  if (typeof value === 'string' && isId(prefix, value)) return value;
  throw new RangeError(`${name} is no ${prefix}_ id`);
}

/** Returns the attempt number of a payload; throws RangeError unless it is a whole number of at least 0. */
function attemptIn({ attempt }: Readonly<Record<string, unknown>>): number {
  if (typeof attempt === 'number' && Number.isSafeInteger(attempt) && attempt >= 0) return attempt;
  throw new RangeError('attempt is no whole number');
}

/** Returns the trace id of a payload; throws RangeError unless it has 1 to 128 characters of `A-Za-z0-9._-`. */
function traceIdIn({ traceId }: Readonly<Record<string, unknown>>): string {
  if (typeof traceId === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(traceId)) return traceId;
  throw new RangeError('traceId is no trace id');
}
