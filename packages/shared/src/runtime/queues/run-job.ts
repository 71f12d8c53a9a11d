import type { Logger } from '../logging/index.js';
import { type JobName, type JobPayloads, jobs, type QueueJobName, type QueueName } from './jobs.js';

/** Handlers for the hints of a queue, by kind of job. */
export type JobHandlers<Q extends QueueName> = {
  readonly [N in QueueJobName<Q>]: (payload: JobPayloads[N]) => Promise<unknown>;
};

/** Hands a job to its handler. Never throws: a hint that cannot be read or whose handler fails is logged and dropped, since the sweeps find the row again. */
export async function runJob<Q extends QueueName>(
  {
    queue,
    handlers,
    logger,
  }: { readonly queue: Q; readonly handlers: JobHandlers<Q>; readonly logger: Logger },
  job: { readonly id?: string | undefined; readonly name: string; readonly data: unknown },
): Promise<void> {
  const { id: jobId, name } = job;
  let requestId: string | undefined;
  try {
    if (!Object.hasOwn(jobs, name) || jobs[name as JobName].queue !== queue) {
      throw new RangeError('no such kind of job');
    }
    const payload = jobs[name as JobName].parse(job.data);
    requestId = payload.traceId;
    const handle = handlers[name as QueueJobName<Q>] as (payload: unknown) => Promise<unknown>;
    await handle(payload);
  } catch (error) {
    logger.error('a job was dropped', { queue, jobId, jobName: name, requestId, error });
  }
}
