import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { createTestAccount, eventually } from '@image-gateway/testing';
import sharp from 'sharp';
import { openBucket } from '../../judge/find-traces.js';
import { callHttp, type HttpAnswer } from '../../load/http-client.js';
import type { Customer, Scenario, Scene } from '../scenario.js';
import { measureFamilyRss } from '../support/measure-family-rss.js';
import { measureRss } from '../support/measure-rss.js';
import { readSums } from '../support/read-sums.js';

const APIS = ['api-1', 'api-2'] as const;
const UPLOADS = 16;
const SLOW_UPLOADS = 8;
/** Side of an image of noise that has nearly 10 MiB. */
const LARGE_SIDE = 1_865;
/** Side of an image of noise of which two make a body of nearly 16 MiB. */
const BODY_SIDE = 1_445;
const MAX_MEMORY_MB = 350;
const LOOK_MS = 20;
const SLOW_CHUNK_BYTES = 64 * 1024;
const SLOW_PAUSE_MS = 250;
const SUBMITS = 80;
const PER_SECOND = 10;
/** Longest submit of the other on a machine that the laboratory shares with its clients. */
const MAX_SUBMIT_MS = 2_000;
const UPLOAD_MS = 120_000;
const PAUSE_MS = 1_000;
const KILLS = 6;
const REFUSED_AT_ONCE = 6;
const GONE_WITHIN_MS = 30_000;

/** Makes a PNG image of noise; returns its bytes. */
function makeNoise(side: number): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(randomBytes(side * side * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

const getUrl = ({ lab }: Scene, n: number): string => lab.fleet.apiUrls[n % APIS.length] ?? '';

/** Sends an image to `/v1/files` and returns the answer; null where the connection broke. */
function upload(
  scene: Scene,
  { apiKey }: Pick<Customer, 'apiKey'>,
  n: number,
  image: Buffer,
): Promise<HttpAnswer | null> {
  return callHttp({
    url: `${getUrl(scene, n)}/v1/files`,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'image/png' },
    body: image,
    timeoutMs: UPLOAD_MS,
  }).catch(() => null);
}

/** Sends an image slowly, and only its beginning where `share` is below 1: then the connection breaks. Returns the status, or null. */
function uploadSlowly(
  scene: Scene,
  { apiKey }: Pick<Customer, 'apiKey'>,
  n: number,
  { image, share = 1, pauseMs = SLOW_PAUSE_MS }: { image: Buffer; share?: number; pauseMs?: number },
): Promise<number | null> {
  return new Promise((resolve) => {
    const outgoing = request(`${getUrl(scene, n)}/v1/files`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'image/png',
        'content-length': image.length,
      },
    });
    outgoing.on('response', (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode ?? null);
    });
    outgoing.on('error', () => resolve(null));
    outgoing.on('close', () => resolve(null));
    const send = async (): Promise<void> => {
      const end = image.length * share;
      for (let offset = 0; offset < end && !outgoing.destroyed; offset += SLOW_CHUNK_BYTES) {
        outgoing.write(image.subarray(offset, Math.min(offset + SLOW_CHUNK_BYTES, end)));
        await scene.sleep(pauseMs);
      }
      if (share < 1) {
        outgoing.destroy();
      } else {
        outgoing.end();
      }
    };
    void send();
  });
}

/** Submits for another customer and returns the slowest answer in milliseconds. */
async function measureSubmits(other: Awaited<ReturnType<Scene['another']>>): Promise<number> {
  const wish = () => ({ prompt: 'sandbox:fixed' });
  const sent = await other.load({ count: SUBMITS, perSecond: PER_SECOND, keyed: 0, wish, hook: null }).done;
  return Math.max(...sent.map(({ slowestMs }) => slowestMs));
}

/** Makes everything of a customer due: its files expire, and the sweep looks at all that it uploaded. */
async function makeDue({ lab }: Scene, accountId: string): Promise<void> {
  await lab.services.database.pool.query(
    `UPDATE task_inputs SET remove_at = now(), expires_at = CASE WHEN expires_at > now() THEN now() ELSE expires_at END
      WHERE account_id = $1`,
    [accountId],
  );
}

/** Waits until nothing is left of the uploads of a customer: no row, and no object in the bucket without one. */
async function untilNothingIsLeft(scene: Scene, accountId: string): Promise<void> {
  const { pool } = scene.lab.services.database;
  const bucket = openBucket(scene.lab);
  try {
    await eventually(
      async () => {
        const { rows } = await pool.query<{ id: string; account_id: string }>(
          'SELECT id, account_id FROM task_inputs',
        );
        const known = new Set(rows.map(({ id }) => `inputs/${id}`));
        const own = rows.filter((row) => row.account_id === accountId).length;
        const unknown = (await bucket.list('inputs/')).filter((key) => !known.has(key));
        if (own > 0 || unknown.length > 0) {
          throw new Error(`${own} uploads are left, and objects that nobody knows: ${unknown.join(', ')}`);
        }
      },
      { timeoutMs: GONE_WITHIN_MS, everyMs: 300 },
    ).catch((error: unknown) => scene.must(false, String(error)));
  } finally {
    bucket.close();
  }
}

/** Counts objects of uploads in the bucket. */
async function countObjects(scene: Scene): Promise<number> {
  const bucket = openBucket(scene.lab);
  try {
    return (await bucket.list('inputs/')).length;
  } finally {
    bucket.close();
  }
}

/** Uploads that are refused, each for another reason; returns their statuses. */
async function sendRefused(
  scene: Scene,
  { apiKey }: Pick<Customer, 'apiKey'>,
  n: number,
  image: Buffer,
): Promise<(number | undefined)[]> {
  const post = (path: string, body: object) =>
    callHttp({
      url: `${getUrl(scene, n)}${path}`,
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => null);
  const sound = `data:image/png;base64,${image.toString('base64')}`;
  const broken = `data:image/png;base64,${randomBytes(5_000).toString('base64')}`;
  const answers = await Promise.all([
    upload(scene, { apiKey }, n, randomBytes(100_000)),
    upload(scene, { apiKey }, n, Buffer.concat([image, randomBytes(11 * 1024 * 1024)])),
    post('/v1/generate', { model: 'nanobanana', prompt: 'x', image_urls: [sound, broken] }),
    post('/v1/generate', { model: 'nothing', prompt: 'x', image_urls: [sound] }),
    post('/openai/v1/images/edits', { prompt: 'x', n: 99, images: [{ image_url: sound }] }),
  ]);
  return answers.map((answer) => answer?.status);
}

/** Uploads files and lets a task use one of them; returns the ids of both. */
async function useFiles(
  scene: Scene,
  account: Pick<Customer, 'id' | 'apiKey'>,
  image: Buffer,
): Promise<{ readonly taskId: string; readonly files: readonly string[] }> {
  const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => upload(scene, account, n, image)));
  const readId = (answer: HttpAnswer | null): string =>
    (JSON.parse(String(answer?.body)) as { data: { id: string } }).data.id;
  const files = answers.map(readId);
  const body = JSON.stringify({
    model: 'nanobanana',
    prompt: 'sandbox:fixed',
    image_urls: files.slice(0, 1),
  });
  const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
  const submitted = await callHttp({ url: `${getUrl(scene, 0)}/v1/generate`, method: 'POST', headers, body });
  await readSums(scene, account.id);
  return { taskId: readId(submitted), files };
}

/** Returns a body of nearly 16 MiB, which two images in it make up. */
async function makeBody(): Promise<string> {
  const urls = await Promise.all(
    [BODY_SIDE, BODY_SIDE].map(
      async (side) => `data:image/png;base64,${(await makeNoise(side)).toString('base64')}`,
    ),
  );
  return JSON.stringify({ model: 'nanobanana', prompt: 'sandbox:fixed', image_urls: urls });
}

/** Sends files and JSON bodies at once to the first API, by accounts that may have eight under way each; returns the statuses. */
async function sendAtOnce(scene: Scene): Promise<(number | undefined)[]> {
  const { database } = scene.lab.services;
  const [image, body] = [await makeNoise(LARGE_SIDE), await makeBody()];
  scene.figure('bytes of a file', image.length);
  scene.figure('bytes of a body', body.length);
  const accounts = await Promise.all(Array.from({ length: 4 }, () => createTestAccount(database)));
  let busy = 0;
  const until = performance.now() + UPLOAD_MS;
  const send = async (
    n: number,
    path: string,
    type: string,
    bytes: Buffer | string,
  ): Promise<number | undefined> => {
    const { apiKey } = accounts[n % accounts.length] ?? scene.customer;
    for (;;) {
      const answer = await callHttp({
        url: `${getUrl(scene, 0)}${path}`,
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
        body: bytes,
        timeoutMs: UPLOAD_MS,
      }).catch(() => null);
      // All bytes pass the wires of the laboratory twice: on a busy machine its services may be late.
      if (answer === null || answer.status < 500 || performance.now() > until) {
        return answer?.status;
      }
      busy += 1;
      await scene.sleep(PAUSE_MS);
    }
  };
  const statuses = await Promise.all(
    Array.from({ length: 2 * UPLOADS }, (_, n) =>
      n < UPLOADS
        ? send(n, '/v1/files', 'image/png', image)
        : send(n, '/v1/generate', 'application/json', body),
    ),
  );
  scene.figure('repeated', busy);
  for (const { id } of accounts) {
    await readSums(scene, id, UPLOAD_MS);
  }
  return statuses;
}

/** Uploads of one account: large, slow, refused, broken off, expired and erased ones. */
export const uploadScenarios: readonly Scenario[] = [
  {
    name: 'uploads',
    tenants: {
      worstMs: 'slowest submit of the other ms',
      cost: ['slowest submit before ms', 'uploads taken'],
    },
    fault: `one account uploads images of 10 MiB, ${UPLOADS} at a time, and ${SLOW_UPLOADS} slowly`,
    outcome: `submits of another account take less than ${MAX_SUBMIT_MS} ms; every upload is taken`,
    run: async (scene) => {
      const image = await makeNoise(LARGE_SIDE);
      const other = await scene.another();
      const before = await measureSubmits(other);
      let isOver = false;
      let taken = 0;
      const uploadOn = async (n: number): Promise<void> => {
        do {
          const answer = await upload(scene, scene.customer, n, image);
          scene.must(answer?.status === 200, `an upload was answered ${answer?.status}: ${answer?.body}`);
          taken += 1;
        } while (!isOver);
      };
      const slow = Array.from({ length: SLOW_UPLOADS }, (_, n) =>
        uploadSlowly(scene, scene.customer, n, { image }),
      );
      const fast = Promise.all(Array.from({ length: UPLOADS }, (_, n) => uploadOn(n)));
      const during = await measureSubmits(other);
      isOver = true;
      await fast;
      const slowStatuses = await Promise.all(slow);
      scene.injected(taken + SLOW_UPLOADS);
      scene.must(
        slowStatuses.every((status) => status === 200),
        `slow uploads were answered ${slowStatuses.join(', ')}`,
      );
      scene.figure('slowest submit before ms', before);
      scene.figure('slowest submit of the other ms', during);
      scene.figure('uploads taken', taken);
      scene.must(during < MAX_SUBMIT_MS, `a submit took ${Math.round(during)} ms`);
      await makeDue(scene, scene.customer.id);
      await untilNothingIsLeft(scene, scene.customer.id);
    },
  },
  {
    name: 'uploads-memory',
    restWithinMs: UPLOAD_MS,
    alerts: { fire: [], may: 'any' },
    fault: `${UPLOADS} images of 10 MiB and ${UPLOADS} JSON bodies of 16 MiB arrive at one API at once`,
    outcome: `all are taken, and the API stays below ${MAX_MEMORY_MB} MB`,
    run: async (scene) => {
      const pid = scene.lab.fleet.process('api-1').pid();
      let [peak, family] = [0, 0];
      const timer = setInterval(() => {
        peak = Math.max(peak, measureRss(pid));
        family = Math.max(family, measureFamilyRss(pid));
      }, LOOK_MS);
      try {
        const statuses = await sendAtOnce(scene);
        scene.injected(statuses.length);
        scene.must(
          statuses.every((status, n) => status === (n < UPLOADS ? 200 : 202)),
          `answered ${statuses.join(', ')}`,
        );
      } finally {
        clearInterval(timer);
      }
      scene.figure('memory of the API at most MB', peak);
      scene.figure('with its decoders MB', family);
      scene.must(peak > 0 && peak < MAX_MEMORY_MB, `the API had ${Math.round(peak)} MB`);
    },
  },
  {
    name: 'uploads-left',
    fault: 'uploads are refused, broken off, expire and are erased while APIs die by kill -9',
    outcome: 'the bucket and the database hold nothing of them, and the uploads of another account stay',
    run: async (scene) => {
      const image = await makeNoise(300);
      const { database } = scene.lab.services;
      const [customer, keeper] = [await createTestAccount(database), await createTestAccount(database)];
      const { apiKey } = customer;
      await database.pool.query(
        `UPDATE api_keys SET scopes = '{generate,read,delete}' WHERE account_id = $1`,
        [customer.id],
      );
      const kept = await useFiles(scene, keeper, image);
      const { taskId, files } = await useFiles(scene, customer, image);
      const statuses = new Set<number | undefined>();
      for (let kill = 0; kill < KILLS; kill += 1) {
        const sending = Array.from({ length: REFUSED_AT_ONCE }, async (_, n) => {
          const broken = uploadSlowly(scene, customer, n, {
            image,
            share: scene.random.int(10, 95) / 100,
            pauseMs: 50,
          });
          const whole = upload(scene, customer, n, image);
          const refused = await sendRefused(scene, customer, n, image);
          for (const status of [...refused, (await whole)?.status, (await broken) ?? undefined]) {
            statuses.add(status);
          }
        });
        await scene.sleep(scene.random.int(20, 400));
        scene.lab.fleet.process(APIS[kill % APIS.length] ?? 'api-1').kill();
        await Promise.all(sending);
        scene.injected(1 + REFUSED_AT_ONCE * 7);
      }
      scene.must(statuses.has(undefined), 'no kill and no break met an upload');
      scene.must(statuses.has(400), 'nothing was refused');
      scene.must(
        [...statuses].every((status) => status === undefined || status < 500 || status === 503),
        `uploads were answered ${[...statuses].join(', ')}`,
      );
      const erase = (path: string) =>
        eventually(
          async () => {
            const { status } = await callHttp({
              url: `${getUrl(scene, 0)}${path}`,
              method: 'DELETE',
              headers: { authorization: `Bearer ${apiKey}` },
            });
            if (status !== 204 && status !== 404) {
              throw new Error(`DELETE ${path} answered ${status}`);
            }
          },
          { timeoutMs: 20_000 },
        );
      await erase(`/v1/tasks/${taskId}`);
      await erase(`/v1/files/${files[1]}`);
      scene.figure('objects before', await countObjects(scene));
      await makeDue(scene, customer.id);
      await untilNothingIsLeft(scene, customer.id);
      scene.figure('objects after', await countObjects(scene));
      for (const id of kept.files) {
        const { status } = await callHttp({
          url: `${getUrl(scene, 0)}/v1/files/${id}`,
          headers: { authorization: `Bearer ${keeper.apiKey}` },
        });
        scene.must(status === 200, `a file of another account is ${status}`);
      }
    },
  },
];
