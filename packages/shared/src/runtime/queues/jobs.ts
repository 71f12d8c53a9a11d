import Joi from 'joi';
import { type IdPrefix, idPattern, isId } from '../../domain/ids/index.js';

/** Hint that a task may be due. */
export interface GenerationJob {
  readonly taskId: string;
  /** The task's attempt when the hint was written. */
  readonly attempt: number;
  readonly traceId: string;
}

/** Hint that a webhook delivery may be due. */
export interface WebhookJob {
  readonly deliveryId: string;
  /** The delivery's attempt when the hint was written. */
  readonly attempt: number;
  readonly traceId: string;
}

/** Hint that a test event may be due. */
export interface WebhookTestJob {
  readonly testId: string;
  readonly traceId: string;
}

/** Payload of each kind of job: ids only, since the database row is the truth. */
export interface JobPayloads {
  readonly generation: GenerationJob;
  readonly webhook: WebhookJob;
  readonly 'webhook-test': WebhookTestJob;
}

/** Name of a kind of job. */
export type JobName = keyof JobPayloads;

interface JobDefinition<P> {
  readonly queue: string;
  /** Validates data from Redis; throws RangeError for anything but a payload of this kind. */
  readonly parse: (data: unknown) => P;
  /** The same hint twice is one job, as long as the first one has not ended. */
  readonly jobId: (payload: P) => string;
}

const attempt = Joi.number().integer().min(0).required();
const traceId = Joi.string()
  .pattern(/^[A-Za-z0-9._-]{1,128}$/)
  .required();
const id = (prefix: IdPrefix): Joi.StringSchema =>
  Joi.string()
    .pattern(new RegExp(idPattern(prefix)))
    .custom((value: string, helpers) => (isId(prefix, value) ? value : helpers.error('string.max')))
    .required();

/** Returns the parser of a payload. Unknown fields are dropped and nothing is converted. */
function parseBy<P>(fields: Joi.StrictSchemaMap<P>): (data: unknown) => P {
  const schema = Joi.object<P, true>(fields).required();
  return (data) => {
    const { error, value } = schema.validate(data, { convert: false, stripUnknown: true });
    if (error) {
      throw new RangeError(error.message);
    }
    return value as P;
  };
}

/** Catalog of jobs: the queue, the payload and the id of each kind. */
export const jobs = {
  generation: {
    queue: 'generation',
    parse: parseBy<GenerationJob>({ taskId: id('gen'), attempt, traceId }),
    jobId: (job: GenerationJob) => `${job.taskId}-${job.attempt}`,
  },
  webhook: {
    queue: 'webhook',
    parse: parseBy<WebhookJob>({ deliveryId: id('msg'), attempt, traceId }),
    jobId: (job: WebhookJob) => `${job.deliveryId}-${job.attempt}`,
  },
  'webhook-test': {
    queue: 'webhook',
    parse: parseBy<WebhookTestJob>({ testId: id('test'), traceId }),
    jobId: (job: WebhookTestJob) => job.testId,
  },
} as const satisfies { readonly [N in JobName]: JobDefinition<JobPayloads[N]> };

/** Name of a queue. */
export type QueueName = (typeof jobs)[JobName]['queue'];

/** Jobs that wait in a queue. */
export type QueueJobName<Q extends QueueName> = {
  [N in JobName]: (typeof jobs)[N]['queue'] extends Q ? N : never;
}[JobName];

/**
 * Options of every job. It is tried once, since the sweeps of the database decide about another try. It is removed as
 * soon as it ends: a kept job would make the next hint with the same id a silent no-op.
 */
export const JOB_POLICY = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** Prefix of all keys of the queues; the braces keep the keys of one queue in one slot of a cluster. */
export const DEFAULT_PREFIX = '{gw}';
