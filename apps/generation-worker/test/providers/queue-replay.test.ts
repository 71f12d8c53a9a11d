import { TASK_PRESET_NAMES } from '@image-gateway/shared/upstreams';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createBfl } from '../../src/providers/bfl/create-bfl.js';
import type { ImageProvider } from '../../src/providers/port.js';
import { createTaskApi } from '../../src/providers/task/create-task-api.js';
import { aRequest } from './support/a-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Fixture, loadFixtures, type WireRequest } from './support/fixture.js';
import { followThrough, PATIENT } from './support/follow-through.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

let replay: Replay | undefined;
afterEach(() => replay?.close());

/** Path of the API, with its version. */
const getApiPath = ({ url }: WireRequest): string => /^(\/api)?\/v1/.exec(new URL(url).pathname)?.[0] ?? '';

async function play(
  { exchanges, meta }: Fixture,
  create: (url: string, asked: WireRequest) => ImageProvider,
) {
  const [first] = exchanges;
  if (first === undefined) {
    throw new Error(`${meta.case} is empty`);
  }
  const { request } = first;
  replay = await startReplay(exchanges);
  const { headers } = request;
  const secret = headers['x-key'] ?? headers.authorization?.slice('Bearer '.length) ?? '';
  const { model } = request.body as { readonly model?: string };
  const collected = await followThrough(
    create(replay.url, request),
    aRequest({
      model: model ?? new URL(request.url).pathname.split('/').at(-1) ?? '',
      key: { fingerprint: 'test', secret },
    }),
    () => false,
  );
  expect(await replay.faults()).toEqual([]);
  expect(describeOutcome(collected, meta.expected)).toEqual(wanted(meta.expected));
}

describe('a job of BFL ends as recorded', () => {
  test.each([...loadFixtures('bfl')])('%s', async (_name, fixture) => {
    await play(fixture, (url) => createBfl({ upstream: upstreamAt('bfl', url) }, { pace: PATIENT }));
  });
});

describe('a job of a task API ends as recorded', () => {
  test.each([...loadFixtures('task')])('%s', async (_name, fixture) => {
    const preset = TASK_PRESET_NAMES.find((name) => name === fixture.meta.provider);
    if (preset === undefined) {
      throw new Error('no such preset');
    }
    await play(fixture, (url, asked) =>
      createTaskApi(
        { upstream: upstreamAt('task', url, getApiPath(asked)), settings: { preset } },
        { pace: PATIENT },
      ),
    );
  });
});
