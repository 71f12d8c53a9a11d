import { afterEach, describe, expect, test } from '@jest/globals';
import { createFal } from '../../src/providers/fal/create-fal.js';
import { createReplicate } from '../../src/providers/replicate/create-replicate.js';
import { aRequest, buildInput } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { PATIENT } from './support/follow-through.js';
import { type Hostile, startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const times = { submitTimeoutMs: 5_000, uploadTimeoutMs: 5_000, callTimeoutMs: 5_000, pace: PATIENT };
const request = aRequest({ model: 'owner/app' });
const LARGE = 300 * 1024;

let servers: Hostile[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

/** A server that answers what the paths say, and redirects where an answer is a redirect. */
async function serve(answers: Readonly<Record<string, (url: string) => unknown>>): Promise<Hostile> {
  const server = await startHostile((_method, path, url) => {
    const body = answers[path.split('?')[0] ?? '']?.(url) ?? Buffer.from('an image');
    return {
      body,
      fault:
        body instanceof URL
          ? (outgoing) => outgoing.writeHead(302, { location: body.href }).end()
          : undefined,
    };
  });
  servers.push(server);
  return server;
}

const images = ({ events }: Awaited<ReturnType<typeof collectEvents>>): number =>
  events.filter(({ type }) => type === 'image').length;

describe('the key', () => {
  test('the key of fal goes to our own API only, whatever addresses an answer names', async () => {
    const elsewhere = await serve({});
    const api = await serve({
      '/owner/app': () => ({
        request_id: 'r-1',
        status_url: `${elsewhere.url}/q/requests/r-1/status`,
        response_url: `${elsewhere.url}/q/requests/r-1`,
      }),
      '/q/requests/r-1/status': () => ({ status: 'COMPLETED' }),
      '/q/requests/r-1': () => ({ images: [{ url: `${elsewhere.url}/a.png` }] }),
    });
    const seen = await collectEvents(createFal({ upstream: upstreamAt('fal', api.url) }, times), request);
    expect(images(seen)).toBe(1);
    expect(api.asked).toEqual([
      ['POST /owner/app', 'Key TEST_KEY'],
      ['GET /q/requests/r-1/status?logs=0', 'Key TEST_KEY'],
      ['GET /q/requests/r-1', 'Key TEST_KEY'],
    ]);
    expect(elsewhere.asked).toEqual([['GET /a.png', undefined]]);
  });

  test('the key of Replicate goes along to a file on the API itself, and to no other place', async () => {
    const elsewhere = await serve({});
    const api = await serve({
      '/v1/models/owner/app/predictions': (url) => ({
        id: 'p-1',
        status: 'succeeded',
        output: [`${url}/v1/files/a`, `${elsewhere.url}/b.png`, `${url}/v1/moved`, `${url}/v1.png`],
      }),
      '/v1/moved': () => new URL(`${elsewhere.url}/c.png`),
    });
    const provider = createReplicate({ upstream: upstreamAt('replicate', api.url) }, times);
    const seen = await collectEvents(provider, { ...request, slots: [0, 1, 2, 3] });
    expect(images(seen)).toBe(4);
    expect(api.asked).toEqual([
      ['POST /v1/models/owner/app/predictions', 'Bearer TEST_KEY'],
      ['GET /v1/files/a', 'Bearer TEST_KEY'],
      ['GET /v1/moved', 'Bearer TEST_KEY'],
      ['GET /v1.png', undefined],
    ]);
    expect(elsewhere.asked).toEqual([
      ['GET /b.png', undefined],
      ['GET /c.png', undefined],
    ]);
  });

  test('the key is not sent at all where there is none', async () => {
    const api = await serve({ '/owner/app': () => ({ request_id: 'r-1' }) });
    const provider = createFal({ upstream: upstreamAt('fal', api.url) }, times);
    await collectEvents(provider, { ...request, key: null, job: { id: 'r-1', handle: null } });
    expect(api.asked.map(([, key]) => key)).toEqual([undefined]);
  });
});

describe('large input images at Replicate', () => {
  const bytes = Buffer.alloc(LARGE).toString('base64');
  const edit = {
    ...request,
    options: { image_field: 'images[]' },
    inputs: [buildInput(bytes), buildInput('iVBORw0KGgo='), buildInput(bytes)],
  };

  test('large input images at Replicate are uploaded before the request that names them', async () => {
    const api = await serve({
      '/v1/files': (url) => ({ urls: { get: `${url}/v1/files/f` } }),
      '/v1/models/owner/app/predictions': () => ({ id: 'p-1', status: 'canceled' }),
    });
    const provider = createReplicate({ upstream: upstreamAt('replicate', api.url) }, times);
    await collectEvents(provider, edit);
    expect(api.asked).toEqual([
      ['POST /v1/files', 'Bearer TEST_KEY'],
      ['POST /v1/files', 'Bearer TEST_KEY'],
      ['POST /v1/models/owner/app/predictions', 'Bearer TEST_KEY'],
    ]);
  });

  test('large input images at Replicate that are lost on the way leave nothing that could have been billed', async () => {
    const api = await serve({ '/v1/files': () => ({}) });
    const provider = createReplicate({ upstream: upstreamAt('replicate', api.url) }, times);
    const { events, error } = await collectEvents(provider, edit);
    expect([events, error?.failure]).toEqual([[], 'bad-response']);
    expect(api.asked.map(([what]) => what)).toEqual(['POST /v1/files', 'POST /v1/files']);
  });
});
