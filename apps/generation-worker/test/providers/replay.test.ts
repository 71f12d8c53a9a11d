import { afterEach, describe, expect, test } from '@jest/globals';
import type { ProviderError } from '../../src/providers/failures.js';
import { FAILURE_TRAITS, type ProviderFailure } from '../../src/providers/failures.js';
import { describeFailure } from './support/describe-failure.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import type { Exchange } from './support/fixture.js';
import { type Replay, startReplay } from './support/replay.js';

const ask: Exchange = {
  request: {
    method: 'POST',
    url: 'https://api.example.com/v1/draw?logs=0',
    headers: { 'content-type': 'application/json', 'x-key': 'k' },
    body: { prompt: 'a fox', n: 1, sizes: ['1K', '2K'] },
  },
  response: { status: 201, headers: {}, body: { next: 'https://api.example.com/v1/look' } },
};
const form: Exchange = {
  request: {
    method: 'POST',
    url: 'https://api.example.com/edits',
    headers: { 'content-type': 'multipart/form-data; boundary=<any>' },
    multipart: [
      { name: 'n', value: '1' },
      { name: 'image[]', filename: 'in-0.png', contentType: 'image/png', bodyBase64: 'AAEC' },
      { name: 'image[]', filename: 'in-1.png', contentType: 'image/png', bodyBase64: 'AwQF' },
    ],
  },
  response: { status: 200, bodyBase64: 'AAEC' },
};
const good = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-key': 'k', 'x-other': 'whatever' },
  body: JSON.stringify(ask.request.body),
};

const replays: Replay[] = [];
afterEach(() => Promise.all(replays.splice(0).map(({ close }) => close())));

async function start(...exchanges: Exchange[]): Promise<Replay> {
  const replay = await startReplay(exchanges);
  replays.push(replay);
  return replay;
}

const fill = (name: string, bytes: number[], filename: string): [string, Blob, string] => [
  name,
  new Blob([new Uint8Array(bytes)], { type: 'image/png' }),
  filename,
];

describe('a replay', () => {
  test('a replay answers as recorded, with its own address for the provider, and finds nothing wrong with the same request', async () => {
    const { url, faults } = await start(ask);
    const answer = await fetch(`${url}/v1/draw?logs=0`, good);
    expect([answer.status, await answer.json()]).toEqual([201, { next: `${url}/v1/look` }]);
    expect(await faults()).toEqual([]);
  });

  test.each([
    ['/v1/draw?logs=0', { ...good, method: 'PUT' }, '/method'],
    ['/v1/drawing?logs=0', good, '/path'],
    ['/v1/draw', good, '/query/logs'],
    ['/v1/draw?logs=0&more=1', good, '/query/more'],
    ['/v1/draw?logs=0', { ...good, headers: { ...good.headers, 'x-key': 'other' } }, '/headers/x-key'],
    ['/v1/draw?logs=0', { ...good, body: '{"prompt":"a fox","sizes":["1K","2K"]}' }, '/body/n'],
    ['/v1/draw?logs=0', { ...good, body: '{"prompt":"a fox","n":"1","sizes":["1K","2K"]}' }, '/body/n'],
    ['/v1/draw?logs=0', { ...good, body: '{"prompt":"a fox","n":1,"sizes":["2K","1K"]}' }, '/body/sizes/0'],
    [
      '/v1/draw?logs=0',
      { ...good, body: '{"prompt":"a fox","n":1,"sizes":["1K","2K"],"x":null}' },
      '/body/x',
    ],
    ['/v1/draw?logs=0', { ...good, body: '{' }, '/body'],
  ])('a replay notices a wrong request: %s %j', async (path, request, at) => {
    const { url, faults } = await start(ask);
    await fetch(`${url}${path}`, request);
    expect((await faults())[0]).toContain(`request 0${at}: `);
  });

  test('a replay notices a request that was not made, and one too much', async () => {
    const { url, faults } = await start(ask);
    expect(await faults()).toEqual(['request 0 was never made: POST https://api.example.com/v1/draw?logs=0']);
    await fetch(`${url}/v1/draw?logs=0`, good);
    await fetch(`${url}/again`);
    expect(await faults()).toEqual(['too much: GET /again']);
  });

  test('a replay takes a difference that is named, and refuses one that is none', async () => {
    const { url, faults } = await start(ask);
    await fetch(`${url}/v1/draw?logs=0`, { ...good, body: '{"prompt":"a fox","sizes":["2K"],"m":{"a":1}}' });
    const because = 'a test';
    const differences = [
      { at: '/body/n', ours: undefined, because },
      { at: '/body/sizes/0', ours: undefined, because },
      { at: '/body/m/a', ours: 1, because },
    ];
    expect(await faults(differences)).toEqual([]);
    expect(await faults([...differences, { at: '/body/prompt', ours: 'a fox', because }])).toEqual([
      'request 0: no difference at /body/prompt',
    ]);
    expect(await faults(differences.slice(1))).toHaveLength(1);
  });

  test('a replay compares the parts of a form: values, names of files, types, bytes and their order', async () => {
    const send = async (...files: [string, Blob, string][]) => {
      const { url, faults } = await start(form);
      const body = new FormData();
      body.append('n', '1');
      for (const file of files) {
        body.append(...file);
      }
      await fetch(`${url}/edits`, { method: 'POST', body });
      return faults();
    };
    const first = fill('image[]', [0, 1, 2], 'in-0.png');
    const second = fill('image[]', [3, 4, 5], 'in-1.png');
    expect(await send(first, second)).toEqual([]);
    expect((await send(second, first))[0]).toContain('request 0/multipart/image[]/0/filename: ');
    expect((await send(first, fill('image[]', [3, 4, 6], 'in-1.png')))[0]).toContain('/bodyBase64: ');
    expect(await send(first)).toHaveLength(1);
  });

  test('a replay leaves a request without an answer where the recording has a fault', async () => {
    const { url } = await start({ ...ask, response: { fault: { type: 'timeout' } } });
    await expect(
      fetch(`${url}/v1/draw?logs=0`, { ...good, signal: AbortSignal.timeout(200) }),
    ).rejects.toThrow('timeout');
  });
});

describe('what came of a call', () => {
  const error = (failure: ProviderFailure, retryAfterMs?: number) =>
    ({ failure, retryAfterMs, upstreamId: null }) as ProviderError;

  test('what came of a call is compared as far as the expectation speaks of it', () => {
    const expected = {
      outcome: 'failure',
      errorClass: 'RATE_LIMIT',
      retryAfterMs: 8000,
      circuit: 'cooldown',
    } as const;
    const collected = { events: [], error: error('rate-limit', 8000) };
    expect(describeOutcome(collected, expected)).toEqual(wanted(expected));
    expect(describeOutcome({ events: [], error: error('rate-limit') }, expected)).not.toEqual(
      wanted(expected),
    );
    expect(describeOutcome({ events: [], error: error('quota', 8000) }, expected)).not.toEqual(
      wanted(expected),
    );
    expect(describeOutcome({ events: [], error: null }, expected)).not.toEqual(wanted(expected));
  });

  test('what came of a call counts and types the images by their bytes', () => {
    const expected = { outcome: 'success', images: 1, mimes: ['image/png'] } as const;
    const image = (hex: string) => ({ type: 'image' as const, bytes: Buffer.from(hex, 'hex') });
    expect(describeOutcome({ events: [image('89504e47')], error: null }, expected)).toEqual(wanted(expected));
    expect(describeOutcome({ events: [image('ffd8ff')], error: null }, expected)).not.toEqual(
      wanted(expected),
    );
    expect(describeOutcome({ events: [], error: null }, expected)).not.toEqual(wanted(expected));
  });

  test('what came of a call has words for every failure', () => {
    const names = Object.keys(FAILURE_TRAITS) as ProviderFailure[];
    expect(names.map((name) => describeFailure(name).errorClass)).toEqual(
      expect.arrayContaining([
        'MODERATION',
        'BAD_RESPONSE',
        'NO_IMAGE',
        'RATE_LIMIT',
        'TIMEOUT',
        'INVALID_INPUT',
      ]),
    );
    expect(describeFailure('moderation')).toMatchObject({ retrySame: false, failover: false, circuit: null });
    expect(describeFailure('unknown')).toMatchObject({ retrySame: false, failover: false, ambiguous: true });
  });
});
