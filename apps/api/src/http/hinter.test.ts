import type { GenerationJob, Producer } from '@image-gateway/shared/queues';
import { expect, test } from '@jest/globals';
import { createHinter } from './hinter.js';

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
  let crowd = 0;
  let now = 0;
  const hinter = createHinter({
    producer: { add, waitingCount: async () => crowd },
    metrics: metrics as never,
    now: () => now,
  });
  const crowdIs = (count: number): void => {
    crowd = count;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { batches, turns, crowdIs, pass, counted, hinter, release: () => release() };
}

test('what comes while a batch is on its way goes together with the next one, and nothing is left behind', async () => {
  const { batches, counted, hinter, release } = scene();
  for (const id of ['a', 'b', 'c']) hinter.hint(`gen_${id}`, 'req_1', 1);
  expect(batches.map((jobs) => jobs.map(({ taskId }) => taskId))).toEqual([['gen_a']]);
  const stopped = hinter.stop();
  release();
  await new Promise(setImmediate);
  expect(batches[1]?.map(({ taskId }) => taskId)).toEqual(['gen_b', 'gen_c']);
  release();
  await stopped;
  expect(counted).toEqual([1, 2]);
});

test("a hint waits for its account's turn, whatever other accounts have submitted before it", async () => {
  const { turns, hinter, release } = scene();
  hinter.hint('gen_a', 'req_1', 7);
  hinter.hint('gen_b', 'req_1', 8);
  hinter.hint('gen_other', 'req_1', 1);
  release();
  await new Promise(setImmediate);
  release();
  await hinter.stop();
  expect(turns).toEqual([[7], [8, 1]]);
});

test('a backlog is not hinted at: neither that of one account nor what a full queue could not hold', async () => {
  const { batches, hinter, release, crowdIs, pass } = scene();
  const sent = () => batches.flat().map(({ taskId }) => taskId);
  hinter.hint('gen_first', 'req_1', 256);
  hinter.hint('gen_flood', 'req_1', 257);
  crowdIs(10_001);
  pass(1_000);
  release();
  await new Promise(setImmediate);
  expect(sent()).toEqual(['gen_first']);
  hinter.hint('gen_crowded', 'req_1', 1);
  pass(1_000);
  crowdIs(0);
  hinter.hint('gen_probe', 'req_1', 1);
  release();
  await new Promise(setImmediate);
  hinter.hint('gen_again', 'req_1', 1);
  release();
  await hinter.stop();
  expect(sent()).toEqual(['gen_first', 'gen_probe', 'gen_again']);
});
