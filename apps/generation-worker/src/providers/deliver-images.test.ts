import { describe, expect, test } from '@jest/globals';
import { deliverImages } from './deliver-images.js';
import { ProviderError } from './failures.js';
import { decodeJson } from './http/json-decoder.js';

const scope = { signal: new AbortController().signal };
const json = decodeJson(Buffer.from('{}'));
const gone = new ProviderError('output-expired', 'scripted');
const lost = new ProviderError('transport', 'scripted');

/** Delivers what lies at these addresses; `asked` are those that were fetched, with their headers. */
async function deliver(
  there: Readonly<Record<string, string | ProviderError>>,
  slots: readonly number[],
  stored: readonly number[] = [],
  errors: readonly (ProviderError | null)[] = [],
) {
  const asked: unknown[] = [];
  const seen: unknown[] = [];
  let failure: unknown = null;
  const download = async (url: string, _scope: unknown, headers = {}) => {
    asked.push([url, headers]);
    const found = there[url];
    if (found instanceof ProviderError) {
      throw found;
    }
    return Buffer.from(found ?? '');
  };
  try {
    const headersFor = (url: string) => ({ of: url });
    const delivery = { upstream: { download }, slots, headersFor };
    const within = { ...scope, isStored: (slot: number) => stored.includes(slot) };
    for await (const event of deliverImages({ urls: Object.keys(there), json, errors }, delivery, within)) {
      if (event.type === 'image') {
        seen.push([event.slot, event.bytes.toString()]);
      }
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    failure = error.failure;
  }
  return { asked, seen, failure };
}

describe('deliver images', () => {
  test('an image that moderation has withheld is not fetched, and the others are', async () => {
    const { seen, asked, failure } = await deliver(
      { 'https://x/a': 'A', 'https://x/b': 'B' },
      [2, 5],
      [],
      [new ProviderError('moderation', 'scripted'), null],
    );
    expect([seen, failure]).toEqual([[[5, 'B']], 'moderation']);
    expect(asked).toHaveLength(1);
  });

  test('the images of a job come with the slots that they were asked for', async () => {
    const { seen, asked } = await deliver({ 'https://x/a': 'A', 'https://x/b': 'B' }, [2, 5]);
    expect(seen).toEqual([
      [2, 'A'],
      [5, 'B'],
    ]);
    expect(asked).toEqual([
      ['https://x/a', { of: 'https://x/a' }],
      ['https://x/b', { of: 'https://x/b' }],
    ]);
  });

  test('the images of a job are not fetched when nobody asked for so many', async () => {
    const { seen, asked } = await deliver({ 'https://x/a': 'A', 'https://x/b': 'B' }, [0]);
    expect([seen.length, asked.length]).toEqual([1, 1]);
  });

  test('the images of a job are not fetched again when they are stored already', async () => {
    const { seen, asked } = await deliver({ 'https://x/a': 'A', 'https://x/b': 'B' }, [0, 1], [0]);
    expect([seen, asked.length]).toEqual([[[1, 'B']], 1]);
  });

  test('the images of a job may be fewer than were asked for', async () => {
    expect(await deliver({ 'https://x/a': 'A' }, [0, 1])).toMatchObject({ seen: [[0, 'A']], failure: null });
  });

  test('the images of a job may stand in the answer itself, where nothing is fetched', async () => {
    const url = `data:image/png;base64,${Buffer.from('inside').toString('base64')}`;
    expect(await deliver({ [url]: '' }, [3])).toEqual({ asked: [], seen: [[3, 'inside']], failure: null });
  });

  test.each(['data:image/png;base64,***', 'data:', 'no address', 'long-text:7', 'file:///etc/passwd'])(
    'the images of a job are never anything but bytes that somebody else looks at: %s',
    async (url) => {
      const { asked, seen, failure } = await deliver({ [url]: '' }, [0]);
      expect({ asked, images: seen.length, failure }).toEqual({ asked: [], images: 1, failure: null });
    },
  );

  test('the images of a job do not wait for one that can not be had, and keep their own slots', async () => {
    const there = { 'https://x/a': gone, 'https://x/b': 'B' };
    expect(await deliver(there, [0, 1])).toMatchObject({ seen: [[1, 'B']], failure: 'output-expired' });
  });

  test('the images of a job are looked for again when one of them may be had later', async () => {
    const there = { 'https://x/a': gone, 'https://x/b': lost, 'https://x/c': 'C' };
    expect(await deliver(there, [0, 1, 2])).toMatchObject({ seen: [[2, 'C']], failure: 'transport' });
  });

  test('the images of a job are no longer fetched when the call has ended', async () => {
    const signal = AbortSignal.abort(new Error('the end'));
    const upstream = { download: () => Promise.reject(lost) };
    const events = deliverImages(
      { urls: ['https://x/a'], json },
      { upstream, slots: [0] },
      { ...scope, signal },
    );
    await expect(events.next()).rejects.toThrow('the end');
  });
});
