import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStage } from './open-stage.js';
import { simulate } from './simulate.js';

let stage: Awaited<ReturnType<typeof openStage>>;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

// A fixed number: what is tried must not depend on how fast the machine is. `.ci/long` plays many more.
const HISTORIES = Number(process.env.FAULTS_HISTORIES ?? 60);

test(
  'whoever dies between whichever two steps: nothing is lost, charged twice or left over',
  async () => {
    const seed = Number(process.env.FAULTS_SEED ?? 1);
    const { histories, failed } = await simulate(stage, { seed, most: HISTORIES });
    if (failed) {
      throw new Error(`FAULTS_SEED=${failed.seed} plays it again: ${failed.faults.join('\n')}`);
    }
    expect(histories).toBe(HISTORIES);
  },
  10_000 * HISTORIES,
);
