import {
  ATTACK_KINDS,
  type AttackKind,
  type AttackPlan,
  measureTurns,
  startAttack,
} from '@image-gateway/testing';
import { callHttp } from '../../load/http-client.js';
import { insertUser, signIn } from '../dashboard-fuzz.js';
import type { Customer, Scenario, Scene } from '../scenario.js';
import { measureRss } from '../support/measure-rss.js';

const SECONDS = 6;
const PER_SECOND = 8;
const POLL_EVERY_MS = 100;
const LOOK_MS = 50;
const MAX_GROWTH_MB = 200;
const MAX_LAG_MS = 100;
/** Longest request of the neighbor on a machine that the laboratory shares with its attackers. */
const MAX_DELAY_MS = 3_000;

/** Polls a task at the first API until it is told to stop; gives the slowest answer in milliseconds. */
async function poll(
  { lab, must, sleep }: Scene,
  { apiKey }: Customer,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  let slowestMs = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    const { status } = await callHttp({
      url: `${lab.fleet.apiUrls[0]}/v1/tasks/${id}`,
      headers: { authorization: `Bearer ${apiKey}` },
    });
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    must(status === 200, `a poll of the neighbor was answered ${status}`);
    await sleep(POLL_EVERY_MS);
  }
  return slowestMs;
}

/** Makes one attack on the first API while a neighbor submits and polls; returns what it came to. */
async function attack(scene: Scene, plan: AttackPlan, neighbor: Awaited<ReturnType<Scene['another']>>) {
  const { fleet } = scene.lab;
  const pid = fleet.process('api-1').pid();
  const { taskId } = await neighbor.submitOne({ prompt: 'sandbox:fixed' });
  scene.must(pid !== null, 'the API is down');
  const readTurns = measureTurns(pid ?? 0);
  const before = measureRss(pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, measureRss(pid));
  }, LOOK_MS);
  const over = new AbortController();
  const running = startAttack(plan);
  try {
    const polls = poll(scene, neighbor, taskId ?? '', over.signal);
    const wish = () => ({ prompt: 'sandbox:fixed' });
    const load = neighbor.load({
      count: SECONDS * PER_SECOND,
      perSecond: PER_SECOND,
      keyed: 0,
      wish,
      hook: null,
    });
    const sent = await load.done;
    const { p99: lagMs } = readTurns();
    over.abort();
    const slowestMs = Math.max(await polls, ...sent.map((one) => one.slowestMs));
    return { lagMs, slowestMs, grown: peak - before };
  } finally {
    over.abort();
    clearInterval(timer);
    const answers = await running.stop();
    scene.injected(Object.values(answers).reduce((sum, count) => sum + count, 0));
  }
}

/** UnknownClients, and customers with one key, who want to end or stall a process. */
export const attackScenarios: readonly Scenario[] = [
  {
    name: 'doors-attacked',
    tenants: {
      worstMs: 'slowest request of the neighbor ms',
      cost: ['event loop p99 ms', 'memory grown MB'],
    },
    fault: `strangers and one key send nested and compressed bodies, thousands of bodies that never end, large edits, refused forms, and documents that take minutes, ${SECONDS} s each`,
    outcome: `no process dies, its memory grows by less than ${MAX_GROWTH_MB} MB, 99 of 100 turns of its event loop begin within ${MAX_LAG_MS} ms, a neighbor's submits and polls take less than ${MAX_DELAY_MS} ms`,
    restWithinMs: 60_000,
    run: async (scene) => {
      const { fleet, services } = scene.lab;
      const [url = ''] = fleet.apiUrls;
      const poor = await scene.another(0n);
      const operator = await signIn(url, await insertUser(services.database, null));
      const neighbor = await scene.another();
      const deaths = fleet.process('api-1').deaths();
      const found: {
        readonly kind: AttackKind;
        readonly lagMs: number;
        readonly slowestMs: number;
        readonly grown: number;
      }[] = [];
      for (const kind of ATTACK_KINDS) {
        const plan = { kind, url, apiKey: scene.customer.apiKey, poorKey: poor.apiKey, operator };
        found.push({ kind, ...(await attack(scene, plan, neighbor)) });
      }
      for (const { kind, lagMs, slowestMs, grown } of found) {
        scene.must(lagMs <= MAX_LAG_MS, `${kind}: the event loop was ${Math.round(lagMs)} ms late`);
        scene.must(grown < MAX_GROWTH_MB, `${kind}: the memory grew by ${Math.round(grown)} MB`);
        scene.must(
          slowestMs < MAX_DELAY_MS,
          `${kind}: a request of the neighbor took ${Math.round(slowestMs)} ms`,
        );
      }
      scene.figure(
        'slowest request of the neighbor ms',
        Math.max(...found.map(({ slowestMs }) => slowestMs)),
      );
      scene.figure('event loop p99 ms', Math.max(...found.map(({ lagMs }) => lagMs)));
      scene.figure('memory grown MB', Math.max(...found.map(({ grown }) => grown)));
      scene.must(fleet.process('api-1').deaths() === deaths, 'an API died');
      const { rows } = await services.database.pool.query('SELECT 1 FROM task_inputs WHERE account_id = $1', [
        poor.id,
      ]);
      scene.must(rows.length === 0, `${rows.length} uploads of refused forms are left`);
    },
  },
];
