import { afterEach, describe, expect, test } from '@jest/globals';
import { createOpenai } from '../../src/providers/openai/create-openai.js';
import { aRequest } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { FAULTS, type Fault, type FaultName, type Hostile, startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const create = (url: string, timeoutMs = 20_000) =>
  createOpenai(
    { upstream: upstreamAt('openai', url), dialect: 'compatible' },
    { timeoutMs: { openai: timeoutMs, compatible: timeoutMs }, downloadPausesMs: [1, 1] },
  );

for (const dialect of ['openai', 'compatible'] as const) {
  describeSyncFaults({
    name: `openai (${dialect})`,
    create,
    request: aRequest({ slots: [3], options: { dialect } }),
    answerWith: (data) => ({ data: [{ b64_json: data }] }),
  });
}

const servers: Hostile[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
const start = async (...parameters: Parameters<typeof startHostile>): Promise<Hostile> => {
  const server = await startHostile(...parameters);
  servers.push(server);
  return server;
};

describe('openai faults', () => {
  const request = aRequest({ slots: [0, 1, 2] });
  /** A server with three images, of which the second is spoilt. */
  const spoiling = (fault?: Fault) =>
    start((method, path, url) => {
      if (method !== 'POST') {
        return { body: path, fault: path === '/b.png' ? fault : undefined };
      }
      return { body: { data: ['/a.png', '/b.png', '/c.png'].map((name) => ({ url: `${url}${name}` })) } };
    });
  const outcome = async ({ url }: Hostile): Promise<string> => {
    const { events, error } = await collectEvents(create(url), request);
    const slots = events.flatMap((event) => (event.type === 'image' ? [event.slot] : []));
    return [...slots, ...(error ? [error.failure] : [])].join(' ');
  };

  test.each([
    ['reset before the answer', '0 2 bad-response', 3],
    ['reset in the middle of the body', '0 2 bad-response', 3],
    ['a body of 200 MB', '0 2 bad-response', 1],
    ['a body of 200 MB that is not announced', '0 2 bad-response', 1],
    ['an endless redirect', '0 2 bad-response', 4],
    ['another content type', '0 1 2', 1],
  ] as const satisfies (readonly [FaultName, string, number])[])(
    'images that a server links to are had without the spoilt one, which is tried again where that may help: %s',
    async (fault, expected, times) => {
      const server = await spoiling(FAULTS[fault]);
      expect(await outcome(server)).toBe(expected);
      expect(server.asked.filter(([what]) => what === 'GET /b.png')).toHaveLength(times);
      expect(server.asked.filter(([what]) => what.startsWith('POST'))).toHaveLength(1);
    },
  );

  test('images that a server links to are had when a lost connection was the only trouble', async () => {
    let lost = 0;
    const server = await spoiling((outgoing, body) => {
      lost += 1;
      if (lost < 3) {
        FAULTS['reset before the answer'](outgoing);
      } else {
        outgoing.end(body);
      }
    });
    expect(await outcome(server)).toBe('0 1 2');
  });

  test('images that a server links to are gone when the server says so', async () => {
    const server = await spoiling((outgoing) => outgoing.writeHead(404).end());
    expect(await outcome(server)).toBe('0 2 output-expired');
  });

  test('images that a server links to may be named without their host', async () => {
    const server = await start((method, path) => ({
      body: method === 'POST' ? { data: [{ url: '/v1/images/1/content' }] } : path,
    }));
    expect(await outcome(server)).toBe('0');
    expect(server.asked.at(-1)?.[0]).toBe('GET /v1/images/1/content');
  });

  test.each([
    'http://example.com/a.png',
    'https://169.254.169.254/latest',
    '//example.com/a.png',
    'http://[',
    'file:///etc/passwd',
  ])('images that a server links to are not fetched from elsewhere: %s', async (url) => {
    const server = await start(() => ({ body: { data: [{ url }] } }));
    expect(await outcome(server)).toMatch(/^(bad-response|0)$/);
    expect(server.asked).toHaveLength(1);
  });

  test('images that a server links to are asked for with the key at the origin of the API, and without it anywhere else', async () => {
    const files = await start((_method, path) => ({ body: path }));
    const api = await start((method, path, url) => {
      const addresses = [`${url}/a.png`, `${files.url}/b.png`];
      return { body: method === 'POST' ? { data: addresses.map((of) => ({ url: of })) } : path };
    });
    expect(await outcome(api)).toBe('0 1');
    expect(api.asked.map(([, key]) => key)).toEqual(['Bearer TEST_KEY', 'Bearer TEST_KEY']);
    expect(files.asked).toEqual([['GET /b.png', undefined]]);
  });
});
