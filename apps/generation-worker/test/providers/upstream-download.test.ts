import { createOutbound, type FetchRequest } from '@image-gateway/shared/outbound';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createUpstream, type Upstream } from '../../src/providers/http/create-upstream.js';
import { freeScope } from './support/collect-events.js';
import { FAULTS, type Fault, type Hostile, startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const PLACE = { baseUrl: 'https://queue.fal.run', resultHosts: ['*.fal.media', 'replicate.delivery'] };
const IMAGE = Buffer.from('an image');

let server: Hostile | undefined;
afterEach(() => server?.close());

/** The way to a provider, with what would have been fetched. */
function recorded(): { readonly upstream: Upstream; readonly fetched: FetchRequest[] } {
  const fetched: FetchRequest[] = [];
  const outbound = {
    ...createOutbound({ allow: new Set() }),
    fetchBytes: async (request: FetchRequest) => {
      fetched.push(request);
      await request.receive?.write(IMAGE);
      return { status: 200, headers: {}, bytes: Buffer.alloc(0), url: request.url };
    },
  };
  return { upstream: createUpstream({ outbound }, PLACE), fetched };
}

async function download(fault: Fault | undefined): Promise<Buffer> {
  server = await startHostile((_method, path) => ({
    body: IMAGE,
    fault: path === '/b.png' ? undefined : fault,
  }));
  return upstreamAt('fal', server.url).download(`${server.url}/a.png`, freeScope());
}

describe('upstream download', () => {
  test.each([
    'https://v3.fal.media/files/a.png',
    'https://a.b.fal.media/a.png',
    'https://V3.FAL.MEDIA/a.png',
    'https://replicate.delivery/a.png',
    'https://queue.fal.run/a.png',
  ])('an image that a provider links to is fetched from where results lie: %s', async (url) => {
    const { upstream, fetched } = recorded();
    expect(await upstream.download(url, freeScope())).toEqual(IMAGE);
    expect(fetched).toHaveLength(1);
  });

  test.each([
    'https://evilfal.media/a.png',
    'https://fal.media.evil.com/a.png',
    'https://v3.fal.media.evil.com/a.png',
    'https://fal.media/a.png',
    'https://v3.fal.media@evil.com/a.png',
    'https://evil.com/v3.fal.media/a.png',
    'https://evil.com#v3.fal.media',
    'https://evil.com\\.fal.media/a.png',
    'https://v3.fal.media./a.png',
    'http://v3.fal.media/a.png',
    'https://x.replicate.delivery/a.png',
    'https://replicate.delivery.evil.com/a.png',
    'https://evil-queue.fal.run/a.png',
    'https://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    '//v3.fal.media/a.png',
    '',
    'nonsense',
  ])(
    'an image that a provider links to is not fetched from anywhere else, and nothing is connected to: %s',
    async (url) => {
      const { upstream, fetched } = recorded();
      await expect(upstream.download(url, freeScope())).rejects.toMatchObject({ failure: 'bad-response' });
      expect(fetched).toEqual([]);
    },
  );

  test('an image that a provider links to is given as the bytes that came', async () => {
    expect((await download(undefined)).equals(IMAGE)).toBe(true);
  });

  test('an image that a provider links to is found behind a redirect', async () => {
    const found = await download((outgoing) => outgoing.writeHead(302, { location: '/b.png' }).end());
    expect(found.equals(IMAGE)).toBe(true);
  });

  test.each([403, 404, 410])(
    'an image that a provider links to is gone when the answer is %d',
    async (status) => {
      await expect(download((outgoing) => outgoing.writeHead(status).end())).rejects.toMatchObject({
        failure: 'output-expired',
      });
    },
  );

  test.each([
    ['500', (outgoing) => outgoing.writeHead(500).end()],
    ['429', (outgoing) => outgoing.writeHead(429).end()],
    ['a reset before the answer', FAULTS['reset before the answer']],
    ['a reset in its middle', FAULTS['reset in the middle of the body']],
  ] as [string, Fault][])('upstream download is asked for again later after %s', async (_, fault) => {
    await expect(download(fault)).rejects.toMatchObject({ failure: 'transport' });
  });

  test.each([
    ['it is far too large', FAULTS['a body of 200 MB']],
    ['it is far too large without saying so', FAULTS['a body of 200 MB that is not announced']],
    ['its address leads in a circle', FAULTS['an endless redirect']],
    [
      'its address leads to this machine',
      (outgoing) => outgoing.writeHead(302, { location: 'http://[::1]:1/' }).end(),
    ],
  ] as [string, Fault][])('upstream download is a bad answer when %s', async (_, fault) => {
    await expect(download(fault)).rejects.toMatchObject({ failure: 'bad-response' });
  });
});
