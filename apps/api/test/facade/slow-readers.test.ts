import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endTask } from '../support/end-task.js';
import { startApi, type TestApi } from '../support/start-api.js';

const PATH = '/openai/v1/images/generations';
const BODY = JSON.stringify({ prompt: 'a fox' });
/** More than the kernel takes for a reader that does not read. */
const image = randomBytes(12_000_000);
/** Places for writing answers, and more readers than that. */
const PLACES = 32;
const READERS = 40;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ FACADE_MAX_WAIT: '60' });
  await api.store.ensureBucket();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

/** Buys an image under an idempotency key, so that any number of requests gets the same answer. */
async function buy(owner: TestAccount): Promise<void> {
  const headers = { 'idempotency-key': 'one', prefer: 'respond-async' };
  const { headers: answer } = await api.call(PATH, { as: owner, headers, body: BODY });
  const id = answer.get('x-gateway-task-id') ?? answer.get('location')?.split('/').at(-1) ?? '';
  await api.store.put(`images/${id}/0.png`, image, { contentType: 'image/png' });
  await endTask(api, id, { images: [image] });
}

/** Asks for the answer and never reads it. */
function ask({ apiKey }: TestAccount): net.Socket {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nIdempotency-Key: one\r\n`;
  const socket = net.connect(api.port, '127.0.0.1', () => {
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
  });
  socket.on('error', () => undefined);
  // Without a listener it takes a few bytes, and then none.
  return socket;
}

test('answers of one account that nobody reads hold up no answer of another account', async () => {
  const [slow, other] = [await api.account(), await api.account()];
  await Promise.all([buy(slow), buy(other)]);
  const sockets = Array.from({ length: READERS }, () => ask(slow));
  // Bytes wait to be read at each that has a place.
  const countServed = (): number => sockets.filter(({ readableLength }) => readableLength > 0).length;
  await eventually(() => expect(countServed()).toBe(PLACES / 2));
  const { status, text } = await api.call(PATH, {
    as: other,
    headers: { 'idempotency-key': 'one' },
    body: BODY,
  });
  expect([status, text.length > image.length]).toEqual([200, true]);
  // Half of the places were free for it: it did not wait until those that read nothing lost theirs.
  expect([countServed(), sockets.filter(({ closed }) => closed).length]).toEqual([PLACES / 2, 0]);
  for (const socket of sockets) {
    socket.destroy();
  }
});
