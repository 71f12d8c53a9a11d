import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStage } from './open-stage.js';
import { simulate } from './simulate.js';

let stage: Awaited<ReturnType<typeof openStage>>;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

test('whoever dies between whichever two steps: nothing is lost, charged twice or left over', async () => {
  const seed = Number(process.env.FAULTS_SEED ?? 1);
  const { histories, failed } = await simulate(stage, { seed, forMs: 40_000, most: 1_500 });
  if (failed) {
    throw new Error(`FAULTS_SEED=${failed.seed} plays it again: ${failed.faults.join('\n')}`);
  }
  expect(histories).toBeGreaterThan(5);
}, 120_000);
