import type { GenerationJob, Producer } from '@image-gateway/shared/queues';
import { expect, test } from '@jest/globals';
import { createTaskEnqueuer } from './task-enqueuer.js';

function scene() {
  const batches: (readonly GenerationJob[])[] = [];
  const turns: (readonly number[])[] = [];
  let release: () => void = () => undefined;
  const add: Producer['add'] = async (_name, jobs, options) => {
    batches.push(jobs as readonly GenerationJob[]);
    turns.push(options?.turns ?? []);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return 'queued' as const;
  };
  const counted: number[] = [];
  const metrics = { hints: { inc: (_labels: object, count: number) => counted.push(count) } };
  let backlog = 0;
  let now = 0;
  const enqueuer = createTaskEnqueuer({
    producer: { add, waitingCount: async () => backlog },
    metrics: metrics as never,
    now: () => now,
  });
  const backlogIs = (count: number): void => {
    backlog = count;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { batches, turns, backlogIs, pass, counted, enqueuer, release: () => release() };
}

test('what comes while a batch is on its way goes together with the next one, and nothing is left behind', async () => {
  const { batches, counted, enqueuer, release } = scene();
  for (const id of ['a', 'b', 'c']) {
    enqueuer.enqueue(`gen_${id}`, 'req_1', 1);
  }
  expect(batches.map((jobs) => jobs.map(({ taskId }) => taskId))).toEqual([['gen_a']]);
  const stopped = enqueuer.stop();
  release();
  await new Promise(setImmediate);
  expect(batches[1]?.map(({ taskId }) => taskId)).toEqual(['gen_b', 'gen_c']);
  release();
  await stopped;
  expect(counted).toEqual([1, 2]);
});

test("a hint waits for its account's turn, whatever other accounts have submitted before it", async () => {
  const { turns, enqueuer, release } = scene();
  enqueuer.enqueue('gen_a', 'req_1', 7);
  enqueuer.enqueue('gen_b', 'req_1', 8);
  enqueuer.enqueue('gen_other', 'req_1', 1);
  release();
  await new Promise(setImmediate);
  release();
  await enqueuer.stop();
  expect(turns).toEqual([[7], [8, 1]]);
});

test('a backlog is not hinted at: neither that of one account nor what a full queue could not hold', async () => {
  const { batches, enqueuer, release, backlogIs, pass } = scene();
  const sent = () => batches.flat().map(({ taskId }) => taskId);
  enqueuer.enqueue('gen_first', 'req_1', 256);
  enqueuer.enqueue('gen_flood', 'req_1', 257);
  backlogIs(10_001);
  pass(1_000);
  release();
  await new Promise(setImmediate);
  expect(sent()).toEqual(['gen_first']);
  enqueuer.enqueue('gen_crowded', 'req_1', 1);
  pass(1_000);
  backlogIs(0);
  enqueuer.enqueue('gen_probe', 'req_1', 1);
  release();
  await new Promise(setImmediate);
  enqueuer.enqueue('gen_again', 'req_1', 1);
  release();
  await enqueuer.stop();
  expect(sent()).toEqual(['gen_first', 'gen_probe', 'gen_again']);
});
