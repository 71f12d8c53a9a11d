import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { createWorld, type TestWorker, type World } from './world.js';

/** Creates one world for all tests of a file. After each test its workers are stopped and the invariants of the database are checked. */
export function useWorld(): World {
  const world = {} as World;
  let workers: TestWorker[] = [];
  beforeAll(async () => {
    const created = await createWorld();
    const start: World['start'] = (router, parts) => {
      const worker = created.start(router, parts);
      workers.push(worker);
      return worker;
    };
    Object.assign(world, created, { start });
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    workers = [];
    await world.test.checkInvariants('rest');
  });
  afterAll(() => world.close());
  return world;
}
