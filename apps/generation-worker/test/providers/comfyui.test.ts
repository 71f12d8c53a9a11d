import { afterEach, describe, expect, test } from '@jest/globals';
import { createComfyui } from '../../src/providers/comfyui/create-comfyui.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest, buildInput } from './support/a-request.js';
import { freeScope } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Exchange, type Fixture, loadFixtures } from './support/fixture.js';
import { followThrough, IMPATIENT, PATIENT } from './support/follow-through.js';
import { type Replay, startReplay } from './support/replay.js';
import { startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const fixtures = loadFixtures('comfyui');
const HOST = 'http://comfy.internal:8188';
const ID = '3f9c2d1e-1111-4222-8333-444455556666';
const TIMES = { submitTimeoutMs: 5_000, uploadTimeoutMs: 5_000, callTimeoutMs: 5_000 };
const NAMES: readonly string[] = ['image_1'];
/** Have tests of their own below. */
const APART = ['cancel-queued', 'cancel-running', 'connection-refused'];

const ownId: Difference = {
  at: '/body/prompt_id',
  ours: 'call-1',
  because: 'a workflow whose answer is lost is found again by it',
};
const client: Difference = {
  at: '/body/client_id',
  ours: 'image-gateway',
  because: 'no socket is opened, so that the id only says who submitted it',
};
/** The workflow runs again in a route: the recorded one with placeholders. */
const noWorkflow: Difference = {
  at: '/body',
  ours: { prompt: {}, prompt_id: 'call-1', client_id: 'image-gateway' },
  because: 'the catalog accepts no route without a workflow',
};
const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  'answer-lost': [{ ...client, exchange: 0 }],
  'auth-proxy-401': [client, ownId],
  'invalid-no-prompt-400': [noWorkflow],
  'success-t2i': [
    { ...client, exchange: 0 },
    { ...ownId, exchange: 0 },
  ],
  'edit-upload': [
    {
      at: '/multipart/image/0/filename',
      ours: 'gateway-f1ff5a1072bb98fae6b4ebb0d2c659df.png',
      because: 'an image has the name of its content',
      exchange: 0,
    },
    {
      at: '/multipart/overwrite',
      ours: undefined,
      because: 'another workflow may read the file',
      exchange: 0,
    },
    { ...client, exchange: 1 },
    { ...ownId, exchange: 1 },
  ],
};

let replay: Replay | undefined;
afterEach(() => replay?.close());

const get = (path: string, body: unknown): Exchange => ({
  request: { method: 'GET', url: `${HOST}${path}`, headers: {} },
  response: { status: 200, body },
});
const noHistory = get(`/history/${ID}`, {});

/** The recorded requests in the order of the adapter, which looks into the history first and then into the queue. */
function inOurOrder({ meta, exchanges }: Fixture): readonly Exchange[] {
  switch (meta.case) {
    case 'async-queued':
      return [...exchanges].reverse();
    case 'async-running':
      return [noHistory, ...exchanges];
    case 'async-request-lost':
      return [...exchanges, noHistory];
    case 'success-t2i': {
      const [submission, waiting, ...rest] = exchanges;
      const queue = get('/queue', { queue_running: [[12, ID, {}, {}, ['9']]], queue_pending: [] });
      return submission && waiting ? [submission, waiting, queue, ...rest] : exchanges;
    }
    default:
      return exchanges;
  }
}

interface Graph {
  readonly [id: string]: { readonly inputs: Readonly<Record<string, unknown>> } | undefined;
}

/** The route whose workflow becomes the recorded one. */
function requestFor({ meta, exchanges }: Fixture): ProviderRequest {
  const submission = exchanges.find(({ request }) => request.url.endsWith('/prompt'))?.request;
  const slots = Array.from({ length: meta.expected.images ?? 1 }, (_, index) => index);
  if (submission === undefined) {
    return aRequest({ key: null, slots, job: { id: ID, handle: null } });
  }
  const { prompt: graph = {}, prompt_id: callId = 'call-1' } = submission.body as {
    readonly prompt?: Graph;
    readonly prompt_id?: string;
  };
  const put = (id: string, inputs: object) => ({
    ...(graph[id] && { [id]: { ...graph[id], inputs: { ...graph[id].inputs, ...inputs } } }),
  });
  const workflow = {
    ...graph,
    ...put('3', { seed: '{{seed}}' }),
    ...put('4', { ckpt_name: '{{model}}' }),
    ...put('5', { width: '{{width}}', height: '{{height}}', batch_size: '{{count}}' }),
    ...put('6', { text: '{{prompt}}' }),
    ...put('7', { text: '{{negative_prompt}}' }),
    ...put('10', { image: `{{${NAMES[0]}}}` }),
  };
  const file = exchanges[0]?.request.multipart?.[0]?.bodyBase64;
  return aRequest({
    callId,
    model: 'sd_xl_base_1.0.safetensors',
    key: null,
    size: '1344x768',
    options: { workflow },
    prompt: 'A red fox in snow',
    negativePrompt: 'text, watermark',
    fields: { negativePrompt: 'text, watermark' },
    slots: meta.case === 'auth-proxy-401' ? [0, 1] : slots,
    inputs: file === undefined ? [] : [buildInput(file)],
  });
}

const create = (url: string, pace = PATIENT) =>
  createComfyui({ upstream: upstreamAt('comfyui', url), drawSeed: () => 42 }, { ...TIMES, pace });

/** A workflow that nobody knows any more is an unknown outcome. */
function asOurs(expected: Fixture['meta']['expected']): Fixture['meta']['expected'] {
  if (expected.errorClass === 'LOST') {
    return { ...expected, errorClass: 'TIMEOUT', failover: false, circuit: 'count', ambiguous: true };
  }
  return expected;
}

describe('an answer of ComfyUI is read as recorded', () => {
  const cases = [...fixtures.values()].filter(({ meta }) => !APART.includes(meta.case));
  test.each(cases.map((fixture) => [fixture.meta.case, fixture] as const))(
    'an answer of ComfyUI is read as recorded: %s',
    async (name, fixture) => {
      const exchanges = inOurOrder(fixture);
      const { expected } = fixture.meta;
      replay = await startReplay(exchanges);
      const { requests, url, faults } = replay;
      const provider = create(url, expected.outcome === 'pending' ? IMPATIENT : PATIENT);
      const seen = await followThrough(
        provider,
        requestFor(fixture),
        () => requests.length < exchanges.length,
      );
      expect(await faults(DIFFERENCES[name])).toEqual([]);
      expect(describeOutcome(seen, asOurs(expected))).toEqual(wanted(asOurs(expected)));
    },
  );
});

describe('a cancellation at ComfyUI', () => {
  const item = (id: string) => [12, id, {}, {}, ['9']];
  const cancel = async (queue: object, recorded: string | null) => {
    const after =
      recorded === 'cancel-queued' ? [get('/queue', { queue_running: [], queue_pending: [] })] : [];
    const exchanges = fixtures.get(recorded ?? '')?.exchanges ?? [];
    replay = await startReplay([get('/queue', queue), ...exchanges, ...after]);
    const job = { id: ID, handle: null, model: 'a-model', key: null };
    const canceled = await create(replay.url).cancel?.(job, freeScope());
    return [canceled, await replay.faults()];
  };
  /** A server with these answers to looks at its queue, in order. */
  const withQueues = async (what: 'cancel' | 'withdraw', queues: readonly object[], history: object = {}) => {
    const left = [...queues];
    const server = await startHostile((method, path) => ({
      body: method === 'POST' ? {} : path.startsWith('/history') ? history : left.shift(),
    }));
    const provider = create(server.url);
    const job = { id: ID, handle: null, model: 'a-model', key: null };
    const result = await provider[what]?.(job, freeScope()).catch(String);
    await server.close();
    return [result, ...server.asked.map(([asked]) => asked).filter((asked) => asked.startsWith('POST'))];
  };
  const waiting = { queue_running: [item('x')], queue_pending: [item(ID)] };
  const running = { queue_running: [item(ID)], queue_pending: [] };
  const gone = { queue_running: [item('x')], queue_pending: [] };

  test('interrupts a workflow that began while it was to be deleted', async () => {
    expect(await withQueues('cancel', [waiting, running])).toEqual([true, 'POST /queue', 'POST /interrupt']);
    expect(await withQueues('cancel', [waiting, gone])).toEqual([true, 'POST /queue']);
  });

  test('is tried again later where the workflow still waits', async () => {
    const [error] = await withQueues('cancel', [waiting, waiting]);
    expect(error).toContain('has not deleted');
  });

  test('of a customer takes back what waits, and only that', async () => {
    expect(await withQueues('withdraw', [waiting, gone])).toEqual([true, 'POST /queue']);
    expect(await withQueues('withdraw', [waiting, running])).toEqual([false, 'POST /queue']);
    const ended = { [ID]: { outputs: { 9: { images: [{ filename: 'a', type: 'output' }] } } } };
    expect(await withQueues('withdraw', [waiting, gone], ended)).toEqual([false, 'POST /queue']);
    expect(await withQueues('withdraw', [running])).toEqual([false]);
    expect(await withQueues('withdraw', [gone])).toEqual([false]);
  });

  test.each([
    ['deletes what waits', { queue_running: [item('x')], queue_pending: [item(ID)] }, 'cancel-queued', true],
    ['interrupts what runs', { queue_running: [item(ID)], queue_pending: [] }, 'cancel-running', true],
    ['touches nobody else', { queue_running: [item('x')], queue_pending: [item('y')] }, null, false],
  ])('a cancellation at ComfyUI %s', async (_what, queue, recorded, accepted) => {
    expect(await cancel(queue, recorded)).toEqual([accepted, []]);
  });
});
