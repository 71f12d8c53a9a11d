import type { GenerationJob } from '@image-gateway/shared/queues';
import { expect, test } from '@jest/globals';
import { createHinter } from './hinter.js';

function scene() {
  const batches: (readonly GenerationJob[])[] = [];
  let release: () => void = () => undefined;
  const add = async (_name: string, jobs: readonly GenerationJob[]) => {
    batches.push(jobs);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return 'queued' as const;
  };
  const counted: number[] = [];
  const metrics = { hints: { inc: (_labels: object, count: number) => counted.push(count) } };
  const hinter = createHinter({ producer: { add: add as never }, metrics: metrics as never });
  return { batches, counted, hinter, release: () => release() };
}

test('what comes while a batch is on its way goes together with the next one, and nothing is left behind', async () => {
  const { batches, counted, hinter, release } = scene();
  for (const id of ['a', 'b', 'c']) hinter.hint(`gen_${id}`, 'req_1');
  expect(batches.map((jobs) => jobs.map(({ taskId }) => taskId))).toEqual([['gen_a']]);
  const stopped = hinter.stop();
  release();
  await new Promise(setImmediate);
  expect(batches[1]?.map(({ taskId }) => taskId)).toEqual(['gen_b', 'gen_c']);
  release();
  await stopped;
  expect(counted).toEqual([1, 2]);
});
