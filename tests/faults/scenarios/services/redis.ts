import { PROCESSES } from '../../lab/start-fleet.js';
import type { Scenario, Scene } from '../scenario.js';
import { hintAgain } from '../support/hint-again.js';
import { readSums } from '../support/read-sums.js';

const SUBMIT_MS = 2_000;
const outage = async (scene: Scene, begin: () => unknown, end: () => unknown, ms: number): Promise<void> => {
  const load = scene.load({ count: 240, perSecond: 40 });
  await scene.sleep(1_200);
  await begin();
  scene.injected();
  await scene.sleep(ms);
  await end();
  const times = (await load.done).map(({ slowestMs }) => slowestMs).sort((a, b) => b - a);
  const slowest = times[Math.floor(times.length / 100)] ?? 0;
  const unknown = load.submissions.filter(({ answer }) => answer !== '202').length;
  scene.must(slowest < SUBMIT_MS, `submissions took ${slowest} ms (p99) without Redis`);
  scene.must(unknown === 0, `${unknown} submissions were not answered 202 without Redis`);
};

/** Redis killed, silent, emptied, full, away. The database is the truth: submissions go on, in less than 2 s each. */
export const redisScenarios: readonly Scenario[] = [
  {
    name: 'redis-killed',
    fault: 'kill -9 of Redis, whose data is gone, unreachable for 5 s',
    outcome: 'every submission 202 within 2 s; work goes on from the database',
    run: (scene) => {
      const { setWires } = scene.lab.fleet;
      const kill = (): void => {
        scene.lab.services.signal('redis', 'SIGKILL');
        setWires('redis', { kind: 'refuse' });
      };
      return outage(scene, kill, () => setWires('redis', { kind: 'pass' }), 5_000);
    },
  },
  {
    name: 'redis-paused',
    fault: 'SIGSTOP of Redis for 6 s, then SIGCONT',
    outcome: 'every submission 202 within 2 s; nothing runs twice afterwards',
    run: (scene) => {
      const { signal } = scene.lab.services;
      return outage(
        scene,
        () => signal('redis', 'SIGSTOP'),
        () => signal('redis', 'SIGCONT'),
        6_000,
      );
    },
  },
  {
    name: 'redis-flushed',
    fault: 'FLUSHALL, again and again',
    outcome: 'costs time and nothing else: no try burnt',
    run: async (scene) => {
      const wish = () => ({ prompt: `sandbox:fixed sandbox:delay=${scene.random.int(0, 300)}` });
      const load = scene.load({ count: 260, perSecond: 50, wish });
      for (let n = 0; n < 12; n += 1) {
        await scene.sleep(400);
        await scene.lab.services.redis('FLUSHALL');
        scene.injected();
      }
      await load.done;
      const { tries } = await readSums(scene);
      scene.must(tries === 0, `${tries} tries were burnt by emptying Redis`);
    },
  },
  {
    name: 'redis-full',
    fault: 'Redis at its memory limit (noeviction) for 5 s',
    outcome: 'every submission 202 within 2 s; no flood of log lines',
    run: async (scene) => {
      const { redis } = scene.lab.services;
      // Reading the counter resets it: log lines of earlier scenarios do not count here.
      scene.lab.log.worstSecond();
      const full = () => redis('CONFIG', 'SET', 'maxmemory', '1mb');
      await outage(scene, full, () => redis('CONFIG', 'SET', 'maxmemory', '0'), 5_000);
      const lines = scene.lab.log.worstSecond();
      scene.figure('most warnings a second', lines);
      scene.must(lines <= 60, `a process wrote ${lines} warnings within a second`);
    },
  },
  {
    name: 'redis-absent-at-boot',
    fault: 'every process started anew while Redis is away',
    outcome: 'submissions 202, tasks completed from the database; nothing runs twice when Redis comes',
    run: async (scene) => {
      scene.lab.fleet.setWires('redis', { kind: 'refuse' });
      for (const name of PROCESSES) {
        scene.lab.fleet.process(name).kill();
      }
      scene.injected(1 + PROCESSES.length);
      const load = scene.load({
        count: 120,
        perSecond: 30,
        keyed: 1,
        wish: () => ({ prompt: 'sandbox:fixed' }),
      });
      await scene.sleep(5_000);
      await load.done;
      const { calls, tasks } = await readSums(scene);
      scene.lab.fleet.setWires('redis', { kind: 'pass' });
      scene.must(calls === tasks, `${calls} calls for ${tasks} tasks`);
    },
  },
  {
    name: 'redis-cut',
    fault: 'all connections to Redis reset, five times a second for 4 s',
    outcome: 'no submission fails',
    run: async (scene) => {
      const load = scene.load({ count: 240, perSecond: 50 });
      for (let n = 0; n < 20; n += 1) {
        await scene.sleep(200);
        for (const name of PROCESSES) {
          scene.lab.fleet.wire(name, 'redis').resetAll();
        }
        scene.injected();
      }
      await load.done;
      const others = load.submissions.filter(({ answer }) => answer !== '202').length;
      scene.must(others === 0, `${others} submissions were not answered 202`);
    },
  },
  {
    name: 'redis-slow',
    fault: 'every answer of Redis 250 ms late, its connections throttle afterwards',
    outcome: 'every submission 202 within 2 s',
    run: async (scene) => {
      const { setWires } = scene.lab.fleet;
      await outage(
        scene,
        () => setWires('redis', { kind: 'delay', ms: 250 }),
        () => undefined,
        2_500,
      );
      setWires('redis', { kind: 'throttle', bytesPerSecond: 20_000 });
      scene.injected();
      await scene.load({ count: 60, perSecond: 30 }).done;
    },
  },
  {
    name: 'duplicate-hints',
    fault: 'every task hinted at twenty times under other job ids',
    outcome: 'one call a task, charged once',
    run: async (scene) => {
      const wish = () => ({ prompt: 'sandbox:fixed sandbox:delay=400' });
      const load = scene.load({ count: 60, concurrency: 30, wish });
      const sent = await load.done;
      const ids = sent.flatMap(({ taskId }) => taskId ?? []);
      scene.figure('hints', await hintAgain(scene.lab.services.redisUrl, ids, 20));
      scene.injected(20);
      const { calls, tasks } = await readSums(scene);
      scene.must(calls === tasks, `${calls} calls for ${tasks} tasks`);
    },
  },
];
