import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../domain/ids/index.js';
import { createLogger } from '../logging/index.js';
import { createConsumer, jobs } from './index.js';

const generation = { taskId: newId('gen'), attempt: 0, traceId: 'req-1' };
const webhook = { deliveryId: newId('msg'), attempt: 3, traceId: 'req_1.a' };
const webhookTest = { testId: newId('test'), traceId: 'req_2' };

describe('the job catalog', () => {
  test('a payload survives the way through Redis, and nothing else that it carried does', () => {
    const through = (value: object): unknown => JSON.parse(JSON.stringify({ ...value, prompt: 'secret' }));
    expect(jobs.generation.parse(through(generation))).toEqual(generation);
    expect(jobs.webhook.parse(through(webhook))).toEqual(webhook);
    expect(jobs['webhook-test'].parse(through(webhookTest))).toEqual(webhookTest);
  });

  test('the id of a job is that of its row and attempt, without a colon and never a bare number', () => {
    expect(jobs.generation.jobId(generation)).toBe(`${generation.taskId}-0`);
    expect(jobs.webhook.jobId(webhook)).toBe(`${webhook.deliveryId}-3`);
  });

  test.each([
    null,
    [],
    'x',
    {},
    { ...generation, taskId: newId('msg') },
    { ...generation, taskId: `${generation.taskId}'` },
    { ...generation, taskId: ['gen_'] },
    { ...generation, attempt: '0' },
    { ...generation, attempt: -1 },
    { ...generation, attempt: 1.5 },
    { ...generation, attempt: 2 ** 53 },
    { ...generation, taskId: `gen_${'a'.repeat(65)}` },
    { ...generation, taskId: `${generation.taskId}\n` },
    { ...generation, traceId: '' },
    { ...generation, traceId: 'a b' },
    { ...generation, traceId: 'a'.repeat(129) },
  ])('%j is no generation job', (data) => {
    expect(() => jobs.generation.parse(data)).toThrow(RangeError);
  });

  test('whatever lies in Redis, parsing gives a payload or throws a RangeError', () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        for (const { parse } of [jobs.generation, jobs.webhook, jobs['webhook-test']]) {
          expect(() => parse(data)).toThrow(RangeError);
        }
      }),
    );
  });

  test('a consumer without a handler for each of its jobs does not compile', () => {
    const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
    const rest = { redisUrl: '', concurrency: 1, logger };
    const missing = () =>
      // @ts-expect-error the handler is missing
      createConsumer({ queue: 'generation', handlers: {}, ...rest });
    const foreign = () =>
      // @ts-expect-error the handler is that of another queue
      createConsumer({ queue: 'generation', handlers: { webhook: async () => undefined }, ...rest });
    expect([missing, foreign]).toHaveLength(2);
  });
});
