import { afterEach, describe, expect, test } from '@jest/globals';
import { createOpenRouter } from '../../src/providers/openrouter/create-openrouter.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest, buildInput } from './support/a-request.js';
import { type Collected, collectEvents } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Fixture, loadFixtures } from './support/fixture.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

const fixtures = loadFixtures('openrouter');
const KEY = { fingerprint: 'test', secret: 'TEST_OPENROUTER_KEY' };
const IMAGE = 'iVBORw0KGgo=';
const reference = { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } };

let replay: Replay | undefined;
afterEach(() => replay?.close());

/** Request to `/images`, which we send instead of a recorded chat. Responses to chats are parsed all the same. */
const OURS_FOR_CHAT = {
  model: 'google/gemini-nano-banana-2.1',
  prompt: 'A red fox',
  n: 1,
  aspect_ratio: '16:9',
  resolution: '1K',
  output_format: 'png',
};

/** Where our request is not the recorded one. */
function listDifferences({ exchanges }: Fixture): readonly Difference[] {
  const recorded = exchanges[0]?.request;
  const differences: Difference[] = [];
  if (recorded?.headers['http-referer']) {
    const because = 'the project has no site that OpenRouter could link to';
    differences.push({ at: '/headers/http-referer', ours: undefined, because });
    differences.push({
      at: '/headers/x-openrouter-title',
      ours: 'image-gateway',
      because: 'the name of the project',
    });
  }
  if (recorded?.url.endsWith('/chat/completions')) {
    const because = 'images are asked for at /images, which knows number and size';
    differences.push({ at: '/path', ours: '/api/v1/images', because });
    differences.push({ at: '/body', ours: OURS_FOR_CHAT, because });
  }
  const references = readBody(recorded?.body).input_references?.length;
  if (references) {
    const because = 'images are sent as data URLs, never as an address to fetch them from';
    const ours = Array.from({ length: references }, () => reference);
    differences.push({ at: '/body/input_references', ours, because });
  }
  return differences;
}

interface Recorded {
  readonly model: string;
  readonly prompt?: string;
  readonly n?: number;
  readonly aspect_ratio?: string;
  readonly resolution?: string;
  readonly input_references?: readonly unknown[];
}

const readBody = (body: unknown): Recorded => body as Recorded;

function requestFor({ exchanges }: Fixture): ProviderRequest {
  const recorded = exchanges[0]?.request;
  const {
    model,
    prompt,
    n = 1,
    aspect_ratio,
    resolution = '1K',
    input_references,
  } = readBody(recorded?.body);
  return aRequest({
    model,
    key: recorded?.headers.authorization ? KEY : null,
    prompt: prompt ?? OURS_FOR_CHAT.prompt,
    aspectRatio: aspect_ratio === '9:16' ? '9:16' : '16:9',
    resolution: resolution.toLowerCase() as ProviderRequest['resolution'],
    slots: Array.from({ length: n }, (_, index) => index),
    inputs: (input_references ?? []).map(() => buildInput(IMAGE)),
  });
}

async function ask(fixture: Fixture, changes: Partial<ProviderRequest> = {}): Promise<Collected> {
  replay = await startReplay(fixture.exchanges);
  const provider = createOpenRouter(
    { upstream: upstreamAt('openrouter', replay.url) },
    { timeoutMs: 20_000 },
  );
  return collectEvents(provider, { ...requestFor(fixture), ...changes });
}

function getFixture(name: string): Fixture {
  const fixture = fixtures.get(name);
  if (!fixture) {
    throw new Error(`no fixture ${name}`);
  }
  return fixture;
}

describe('openrouter', () => {
  test.each([...fixtures])('an answer of OpenRouter is read as recorded: %s', async (_name, fixture) => {
    const collected = await ask(fixture);
    expect(await replay?.faults(listDifferences(fixture))).toEqual([]);
    expect(describeOutcome(collected, fixture.meta.expected)).toEqual(wanted(fixture.meta.expected));
  });

  test('what it cost is told to the last micro-dollar, also when there is no image', async () => {
    const paid = await ask(getFixture('success-images-jpeg-no-media-type'));
    expect(paid.events).toContainEqual({ type: 'cost', micros: 33_600n });
    await replay?.close();
    const refused = await ask(getFixture('no-image-chat-text-only'));
    expect(refused.events).toContainEqual({ type: 'cost', micros: 100n });
  });

  test('an image has the number of the one that was asked for, and answers and refusals their id', async () => {
    const { events } = await ask(getFixture('success-images-jpeg-no-media-type'), { slots: [2] });
    expect(events).toContainEqual({ type: 'upstream-id', id: 'gen-img-sample0001' });
    expect(events.flatMap((event) => (event.type === 'image' ? event.slot : []))).toEqual([2]);
    await replay?.close();
    const { error } = await ask(getFixture('moderation-refusal-400'));
    expect(error?.upstreamId).toBe('gen-img-sample0001');
  });

  test('how long it wants to be left alone is read from the answer when no header says it', async () => {
    const fixture = getFixture('rate-limit-capacity-exhausted');
    const exchanges = fixture.exchanges.map(({ request, response }) => ({
      request,
      response: { ...response, headers: { 'content-type': 'application/json' } },
    }));
    const { error } = await ask({ ...fixture, exchanges });
    expect(error).toMatchObject({ failure: 'rate-limit', retryAfterMs: 40_000 });
  });
});
