import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { createObjectStore } from '@image-gateway/shared/storage';
import { eventually } from '@image-gateway/testing';
import { callHttp } from '../../load/http-client.js';
import type { Scenario, Scene } from '../scenario.js';
import { measureRss } from '../support/measure-rss.js';
import { readSums } from '../support/read-sums.js';

const APIS = ['api-1', 'api-2'] as const;
const SOCKETS = 260;
/** Addresses of the readers: one alone may have 128 downloads. */
const ADDRESSES = 5;
/** A large 4k image: more than the kernel takes for a reader that does not read. */
const IMAGE_BYTES = 12_000_000;
/** Less than a request has in all; what waits behind readers would be refused or never end. */
const MAX_DELAY_MS = 6_000;
const MAX_GROWTH_MB = 400;
/** A reader has 30 s; where the system holds all of the image for it, the connection is idle and has 65 s. */
const CLOSED_WITHIN_MS = 150_000;
const LOOK_MS = 200;
/** State of a connection in `/proc/net/tcp`. */
const ESTABLISHED = '01';

/** Completes a task and puts a large image in the place of its own; returns the path of the image. */
async function createLargeImage(scene: Scene): Promise<string> {
  const { services } = scene.lab;
  const { taskId } = await scene.submitOne({ prompt: 'sandbox:fixed' });
  await readSums(scene);
  const { rows } = await services.database.pool.query<{ key: string; type: string }>(
    'SELECT key, content_type AS type FROM task_outputs WHERE task_id = $1',
    [taskId],
  );
  const [output] = rows;
  if (output === undefined) {
    throw new Error('the task has no image');
  }
  const image = randomBytes(IMAGE_BYTES);
  const { url: endpoint, accessKey, secretKey } = services.s3;
  const store = createObjectStore({
    endpoint,
    region: 'us-east-1',
    bucket: 'image-gateway',
    accessKey,
    secretKey,
  });
  await store.replace(output.key, image, { contentType: output.type });
  store.close();
  await services.database.pool.query('UPDATE task_outputs SET bytes = $2, sha256 = $3 WHERE task_id = $1', [
    taskId,
    image.length,
    createHash('sha256').update(image).digest('hex'),
  ]);
  return `/files/${output.key}`;
}

/** Opens connections that ask for a path and never read; returns how to close them. */
async function startReaders({ lab }: Scene, path: string): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async (_, n) => {
      const url = new URL(lab.fleet.apiUrls[n % APIS.length] ?? '');
      const socket = net.connect({
        host: url.hostname,
        port: Number(url.port),
        localAddress: `127.0.1.${1 + (n % ADDRESSES)}`,
      });
      socket.on('error', () => undefined);
      socket.pause();
      await new Promise<void>((resolve) => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`, () => resolve());
      });
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
}

/** Counts connections of the readers by the tables of the system: a socket that does not read learns nothing of its end. */
function countOpen({ lab }: Scene): number {
  const ports = lab.fleet.apiUrls.map((url) => toHex(Number(new URL(url).port), 4));
  const hosts = Array.from({ length: ADDRESSES }, (_, n) => `${toHex(1 + n, 2)}01007F`);
  const open = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', remote = '', state]) => {
      const [host = ''] = remote.split(':');
      return state === ESTABLISHED && ports.includes(local.split(':')[1] ?? '') && hosts.includes(host);
    });
  return open.length;
}

const toHex = (value: number, digits: number): string =>
  value.toString(16).toUpperCase().padStart(digits, '0');

/** Downloads images of completed tasks one after the other; returns the slowest download in milliseconds. */
async function downloadAll({ lab, must }: Scene, accountId: string): Promise<number> {
  const { rows } = await lab.services.database.pool.query<{ key: string }>(
    'SELECT o.key FROM task_outputs o JOIN tasks t ON t.id = o.task_id WHERE t.account_id = $1',
    [accountId],
  );
  let slowestMs = 0;
  for (const [n, { key }] of rows.entries()) {
    const begun = performance.now();
    const { status } = await callHttp({ url: `${lab.fleet.apiUrls[n % APIS.length]}/files/${key}` });
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    must(status === 200, `a download of another account was answered ${status}`);
  }
  return slowestMs;
}

/** Responses that nobody reads. */
export const slowReaderScenarios: readonly Scenario[] = [
  {
    name: 'slow-readers',
    tenants: {
      worstMs: 'slowest download of the other ms',
      cost: ['slowest submit of the other ms', 'connections', 'last closed after ms', 'memory grown MB'],
    },
    fault: `${SOCKETS} connections ask for an image of ${IMAGE_BYTES / 1_000_000} MB and read nothing`,
    outcome: `submits and downloads of another account take less than ${MAX_DELAY_MS} ms, an API grows by less than ${MAX_GROWTH_MB} MB, every such connection is closed`,
    run: async (scene) => {
      const { fleet } = scene.lab;
      const path = await createLargeImage(scene);
      const other = await scene.another();
      const readMemory = (): number[] => APIS.map((name) => measureRss(fleet.process(name).pid()));
      const before = readMemory();
      let grown = 0;
      const timer = setInterval(() => {
        for (const [n, memory] of readMemory().entries()) {
          grown = Math.max(grown, memory - (before[n] ?? 0));
        }
      }, LOOK_MS);
      let closeReaders = (): void => undefined;
      try {
        const begun = performance.now();
        closeReaders = await startReaders(scene, path);
        scene.injected(SOCKETS);
        const wish = () => ({ prompt: 'sandbox:fixed' });
        const sent = await other.load({ count: 60, perSecond: 10, keyed: 0, wish, hook: null }).done;
        const slowestSubmit = Math.max(...sent.map(({ slowestMs }) => slowestMs));
        const stillOpen = countOpen(scene);
        await readSums(scene, other.id);
        const slowestDownload = await downloadAll(scene, other.id);
        scene.must(stillOpen > SOCKETS / 2, `only ${stillOpen} of ${SOCKETS} connections were still open`);
        await eventually(
          () => {
            const open = countOpen(scene);
            if (open > 0) {
              throw new Error(`${open} connections are open that nobody reads`);
            }
          },
          { timeoutMs: CLOSED_WITHIN_MS, everyMs: LOOK_MS },
        );
        scene.figure('last closed after ms', performance.now() - begun);
        scene.figure('slowest submit of the other ms', slowestSubmit);
        scene.figure('slowest download of the other ms', slowestDownload);
        scene.must(slowestSubmit < MAX_DELAY_MS, `a submit of another account took ${slowestSubmit} ms`);
        scene.must(
          slowestDownload < MAX_DELAY_MS,
          `a download of another account took ${slowestDownload} ms`,
        );
      } finally {
        clearInterval(timer);
        closeReaders();
      }
      scene.figure('connections', SOCKETS);
      scene.figure('memory grown MB', grown);
      scene.must(grown < MAX_GROWTH_MB, `an API grew by ${Math.round(grown)} MB`);
    },
  },
];
