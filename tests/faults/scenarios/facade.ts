import { type AskedImage, askForImage } from '../load/ask-for-image.js';
import type { Scenario, Scene } from './scenario.js';
import { killDuring } from './support/kill-during.js';
import { readSums } from './support/read-sums.js';

const APIS = ['api-1', 'api-2'] as const;
const CLIENTS = 24;
const REQUESTS = 96;
const KILLS = 6;
/** Attempts that a client breaks off before it waits for its image. */
const IMPATIENT_ATTEMPTS = 3;
const TIMEOUTS_MS = { impatient: [50, 1_200], last: 20_000 } as const;
/** Before the first repetition the SDKs of OpenAI pause for 375 to 500 ms. */
const PAUSE_MS = [375, 500] as const;

/** Lets clients ask for one image after the other, each of them breaking off its first attempts. */
async function askAll(scene: Scene): Promise<AskedImage[]> {
  const { random, customer, lab } = scene;
  const run = random.int(0, 1e9).toString(36);
  const client = {
    apiKey: customer.apiKey,
    urls: lab.fleet.apiUrls,
    drawTimeoutMs: (attempt: number) =>
      attempt < IMPATIENT_ATTEMPTS ? random.int(...TIMEOUTS_MS.impatient) : TIMEOUTS_MS.last,
    drawPauseMs: () => random.int(...PAUSE_MS),
  };
  const asked: AskedImage[] = [];
  let next = 0;
  const askInTurn = async (): Promise<void> => {
    while (next < REQUESTS) {
      const requestId = `facade-${run}-${next}`;
      next += 1;
      const prompt = `sandbox:fixed sandbox:delay=${random.int(200, 2_500)} ${requestId}`;
      const one = await askForImage(client, { requestId, prompt });
      scene.noted(one);
      asked.push(one);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, askInTurn));
  return asked;
}

/** Counts clients that do not hold the image of their task. */
async function countWithout({ lab, customer }: Scene, asked: readonly AskedImage[]): Promise<number> {
  const { rows } = await lab.services.database.pool.query<{ task_id: string; sha256: string }>(
    'SELECT o.task_id, o.sha256 FROM task_outputs o JOIN tasks t ON t.id = o.task_id WHERE t.account_id = $1',
    [customer.id],
  );
  const stored = new Map(rows.map(({ task_id, sha256 }) => [task_id, sha256]));
  return asked.filter(({ taskId, sha256 }) => sha256 === null || stored.get(taskId ?? '') !== sha256).length;
}

/** Clients of the OpenAI-compatible facade, which wait for their images and repeat what breaks. */
export const facadeScenarios: readonly Scenario[] = [
  {
    name: 'facade-cut',
    fault:
      'clients of the OpenAI-compatible facade break off each request three times and repeat it at either API, while APIs die by kill -9',
    outcome: 'a request is one task, one provider call and one capture, and its client holds the image',
    run: async (scene) => {
      const asking = askAll(scene);
      await killDuring(scene, APIS, KILLS, 1_500);
      const asked = await asking;
      const { tasks, calls, tries } = await readSums(scene);
      const broken = asked.reduce((sum, one) => sum + one.broken, 0);
      const without = await countWithout(scene, asked);
      scene.injected(broken);
      scene.figure('attempts without an answer', broken);
      scene.must(tasks === REQUESTS, `${REQUESTS} requests made ${tasks} tasks`);
      // A worker whose lease ran out on a busy machine may have repeated a call, at the price of a try.
      scene.must(calls <= tasks + tries, `${tasks} tasks made ${calls} provider calls in ${tries} tries`);
      scene.must(without === 0, `${without} clients do not hold their image`);
      scene.must(broken > REQUESTS, `only ${broken} attempts broke`);
    },
  },
];
