import { randomBytes } from 'node:crypto';
import { createTestAccount, eventually } from '@image-gateway/testing';
import sharp from 'sharp';
import { cutImage, findTraces, openBucket, type Trace } from '../judge/find-traces.js';
import { callHttp, type HttpAnswer } from '../load/http-client.js';
import type { Scenario, Scene } from './scenario.js';

/** Time within which all processes know that a task is erased. */
const KNOWN_WITHIN_MS = 5_000;
const FOREIGN = 'the foreign input image';
const SOUND = { width: 64, height: 64, channels: 3, background: '#3080c0' } as const;
const EDIT = { model: 'nanobanana', prompt: 'sandbox:fixed' };

interface Task {
  readonly id: string;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly output?: { readonly urls: readonly string[] };
  readonly error?: string;
}

type Call = (api: number, method: string, target: string, body?: object) => Promise<HttpAnswer>;

/** Opens a customer whose key may delete; returns a function that calls one of the two APIs. */
async function openCustomer({ lab }: Scene): Promise<Call> {
  const { database } = lab.services;
  const { apiKey, apiKeyId } = await createTestAccount(database);
  await database.pool.query(`UPDATE api_keys SET scopes = '{generate,read,delete}' WHERE id = $1`, [
    apiKeyId,
  ]);
  return (api, method, target, body) =>
    callHttp({
      url: `${lab.fleet.apiUrls[api]}${target}`,
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
}

function readData<T>({ status, body }: HttpAnswer): T {
  const { data } = JSON.parse(body.toString()) as { data: T | null };
  if (data === null) {
    throw new Error(`answered ${status}: ${body}`);
  }
  return data;
}

async function waitForEnd(call: Call, id: string): Promise<Task> {
  return eventually(
    async () => {
      const task = readData<Task>(await call(0, 'GET', `/v1/tasks/${id}`));
      if (task.status === 'pending') {
        throw new Error(`${id} is pending`);
      }
      return task;
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
}

/** Runs tasks that carry traces in all places: a prompt of each outcome, an input URL, input images, an upload and results. */
async function runTasks(
  scene: Scene,
  call: Call,
): Promise<{ readonly ids: string[]; readonly traces: Trace[] }> {
  const { images, imageHost } = scene.lab;
  const traces: Trace[] = [];
  const mark = (name: string): string => {
    const text = randomBytes(16).toString('hex');
    traces.push({ name, bytes: Buffer.from(text) });
    return text;
  };
  const noise = async (name: string): Promise<Buffer> => {
    const raw = { width: 64, height: 64, channels: 3 } as const;
    const image = await sharp(randomBytes(64 * 64 * 3), { raw })
      .png()
      .toBuffer();
    traces.push(...cutImage(name, image));
    return image;
  };
  const run = async (body: object): Promise<Task> => {
    const answer = await call(0, 'POST', '/v1/generate', { model: 'nanobanana', ...body });
    return waitForEnd(call, readData<Task>(answer).id);
  };
  const generation = await run({ prompt: mark('the prompt'), negative_prompt: mark('the negative prompt') });
  const path = `/${mark('the input URL')}.png`;
  images.set(path, await noise(FOREIGN));
  const image_urls = [`${imageHost.url}${path}`, generation.output?.urls[0]];
  const edit = await run({ prompt: mark('the prompt of the edit'), image_urls });
  const refused = await run({ prompt: `${mark('the prompt that is refused')} sandbox:fail=moderation` });
  const failed = await run({ prompt: `${mark('the prompt that fails')} sandbox:fail=upstream` });
  const image_url = `data:image/png;base64,${(await noise('the upload')).toString('base64')}`;
  const upload = await call(0, 'POST', '/openai/v1/images/edits', {
    prompt: mark('the prompt of the upload'),
    images: [{ image_url }],
    response_format: 'url',
  });
  const uploaded = await waitForEnd(call, String(upload.headers['x-gateway-task-id']));
  const tasks = [generation, edit, refused, failed, uploaded];
  for (const url of tasks.flatMap(({ output }) => output?.urls ?? [])) {
    traces.push(...cutImage('a result', (await call(0, 'GET', new URL(url).pathname)).body));
  }
  scene.must(
    tasks.map(({ status }) => status).join() === 'completed,completed,failed,failed,completed',
    `ended as ${tasks.map(({ status, error }) => `${status} ${error ?? ''}`).join()}`,
  );
  return { ids: tasks.map(({ id }) => id), traces };
}

/** Deletes through one API; requires that the other one, which has read everything, answers as if nothing had been. */
async function deleteTasks(scene: Scene, call: Call, ids: readonly string[]): Promise<void> {
  const tasks = await Promise.all(
    ids.flatMap((id) => [0, 1].map((api) => call(api, 'GET', `/v1/tasks/${id}`))),
  );
  const files = tasks
    .flatMap((answer) => readData<Task>(answer).output?.urls ?? [])
    .map((url) => new URL(url).pathname);
  await Promise.all([0, 1].map((api) => call(api, 'GET', '/v1/tasks')));
  const statuses = async (api: number): Promise<string> => {
    const targets = [...ids.flatMap((id) => [`/v1/tasks/${id}`, `/v1/tasks/${id}?view=full`]), ...files];
    const answers = await Promise.all(targets.map((target) => call(api, 'GET', target)));
    return [...new Set(answers.map(({ status }) => status))].join();
  };
  scene.must((await statuses(1)) === '200', 'the second API does not have the tasks');
  for (const id of ids) {
    const { status } = await call(0, 'DELETE', `/v1/tasks/${id}`);
    scene.must(status === 204, `DELETE answered ${status}`);
    scene.injected();
  }
  const since = performance.now();
  scene.must((await statuses(0)) === '404', 'the API that deleted still answers');
  const page = readData<{ items: object[]; pagination: object }>(await call(1, 'GET', '/v1/tasks'));
  scene.must(page.items.length === 0, `the second API lists ${page.items.length} tasks`);
  await eventually(
    async () => {
      const seen = await statuses(1);
      if (seen !== '404') {
        throw new Error(`the second API answers ${seen}`);
      }
    },
    { timeoutMs: 2 * KNOWN_WITHIN_MS },
  );
  const knownMs = performance.now() - since;
  scene.figure('second API answers 404 after ms', knownMs);
  scene.must(knownMs < KNOWN_WITHIN_MS, `the second API answers 404 only after ${Math.round(knownMs)} ms`);
}

/** Deletion as the customer is promised it. */
export const erasureScenarios: readonly Scenario[] = [
  {
    name: 'erased-everywhere',
    lab: 'synchronous',
    fault:
      'a generation, edits of a foreign image, a result and an upload, and failures are deleted through one API',
    outcome:
      'no byte of prompt or image in a dump, the bucket, the logs and Redis; the other API answers 404 within 5 s; edits of a result fail by its index',
    run: async (scene) => {
      const call = await openCustomer(scene);
      const { ids, traces } = await runTasks(scene, call);
      const [first = ''] = ids;
      const [result] = readData<Task>(await call(0, 'GET', `/v1/tasks/${first}`)).output?.urls ?? [];
      const before = await findTraces(scene.lab, traces);
      // The search must be able to find them. A foreign input image is kept nowhere from the start.
      for (const { name } of traces.filter((trace) => trace.name !== FOREIGN)) {
        scene.must(
          before.some((where) => where.startsWith(`${name} stands in the`)),
          `${name} was never there`,
        );
      }
      scene.figure('places before', before.length);
      await deleteTasks(scene, call, ids);
      const bucket = openBucket(scene.lab);
      try {
        const since = performance.now();
        await eventually(
          async () => {
            const keys = await bucket.list('');
            if (keys.length > 0) {
              throw new Error(`${keys.join()} are still in the bucket`);
            }
          },
          { timeoutMs: 20_000, everyMs: 100 },
        ).catch((error: unknown) => scene.must(false, String(error)));
        scene.figure('bucket empty after ms', performance.now() - since);
      } finally {
        bucket.close();
      }
      scene.lab.images.set('/sound.png', await sharp({ create: SOUND }).png().toBuffer());
      const image_urls = [`${scene.lab.imageHost.url}/sound.png`, result];
      const edit = await call(1, 'POST', '/v1/generate', { ...EDIT, image_urls });
      const { status, error } = await waitForEnd(call, readData<Task>(edit).id);
      scene.must(
        status === 'failed' && error?.startsWith('image_urls[1]: ') === true,
        `an edit of an erased result ${status}: ${error}`,
      );
      for (const where of await findTraces(scene.lab, traces)) {
        scene.must(false, where);
      }
    },
  },
];
