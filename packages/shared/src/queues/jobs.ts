import { attemptIn, idIn, recordOf, traceIdIn } from './payload-fields.js';

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
      const fields = recordOf(data);
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
      const fields = recordOf(data);
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
export type JobNameOf<Q extends QueueName> = {
  [N in JobName]: (typeof jobs)[N]['queue'] extends Q ? N : never;
}[JobName];

/**
 * How every job is kept: tried once, since the sweeps of the database decide about another try, and forgotten as soon as
 * it ends, since a finished job that is kept would make the next hint with the same id a silent no-op.
 */
export const JOB_POLICY = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** What all keys of the queues begin with; the braces keep the keys of one queue in one slot of a cluster. */
export const DEFAULT_PREFIX = '{gw}';
