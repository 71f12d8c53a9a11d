import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { afterEach, describe, expect, test } from '@jest/globals';

import { buildRequest, createDashscope } from '../../src/providers/dashscope/create-dashscope.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest, buildInput } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { loadFixtures } from './support/fixture.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

interface Body {
  readonly model: string;
  readonly input: { readonly messages: readonly { readonly content: readonly { image?: string }[] }[] };
  readonly parameters: { readonly n: number; readonly seed: number; readonly negative_prompt: string };
}

let replay: Replay | undefined;
afterEach(() => replay?.close());

function requestFor({ model, input, parameters }: Body): ProviderRequest {
  const images = input.messages[0]?.content.flatMap(({ image }) => image?.split(',')[1] ?? []) ?? [];
  return aRequest({
    model,
    prompt: 'A red fox in snow',
    fields: { seed: parameters.seed, negativePrompt: parameters.negative_prompt },
    slots: Array.from({ length: parameters.n }, (_, index) => index),
    inputs: images.map((image) => buildInput(image)),
  });
}

describe('an answer of DashScope is read as documented', () => {
  test.each([...loadFixtures('dashscope')])('%s', async (_name, { exchanges, meta }) => {
    replay = await startReplay(exchanges);
    const provider = createDashscope({ upstream: upstreamAt('dashscope', replay.url) });
    const collected = await collectEvents(provider, requestFor(exchanges[0]?.request.body as Body));
    expect(await replay.faults()).toEqual([]);
    expect(describeOutcome(collected, meta.expected)).toEqual(wanted(meta.expected));
  });
});

describe('a request to DashScope', () => {
  const readSize = (changes: Partial<ProviderRequest>): unknown =>
    (buildRequest(aRequest(changes)).parameters as { readonly size?: unknown }).size;

  test.each<[Partial<ProviderRequest>, string]>([
    [{ model: 'qwen-image-3.0-pro' }, '1376*768'],
    [{ model: 'qwen-image-2.0', resolution: '2k', aspectRatio: '9:16' }, '1536*2688'],
    [{ model: 'qwen-image-2.0', resolution: '4k' }, '2688*1536'],
    [{ model: 'qwen-image-max' }, '1664*928'],
    [{ model: 'qwen-image-plus-2026-01-09', aspectRatio: '3:4', resolution: '2k' }, '1104*1472'],
    [{ model: 'qwen-image-max', size: '1328x1328' }, '1328*1328'],
  ])('has a size that the model draws: %j is %s', (changes, size) => {
    expect(readSize(changes)).toBe(size);
  });

  test('lets nobody rewrite the prompt unless its route says so, and leaves out what the route says', () => {
    const parameters = (options: Readonly<Record<string, unknown>>) =>
      buildRequest(aRequest({ options })).parameters;
    expect(parameters({})).toMatchObject({ prompt_extend: false, watermark: false });
    expect(parameters({ prompt_extend: true, size: null, n: null, thinking_mode: true })).toEqual({
      prompt_extend: true,
      watermark: false,
      thinking_mode: true,
    });
  });

  test('for an edit may go to another model', () => {
    const options = { edit_model: 'qwen-image-edit-max' };
    expect(buildRequest(aRequest({ options, inputs: [buildInput('AAAA')] })).model).toBe(
      'qwen-image-edit-max',
    );
    expect(buildRequest(aRequest({ options })).model).toBe('a-model');
  });
});

test('the models of DashScope are those of a whole list', () => {
  const models = [{ model: 'qwen-image-3.0' }, { model: 'wan2.7-image' }];
  const list = UPSTREAMS.dashscope.listModels;
  expect(list({ output: { total: 2, models } })).toEqual(['qwen-image-3.0', 'wan2.7-image']);
  expect(list({ output: { total: 300, models } })).toEqual([]);
  expect(list({ output: null })).toEqual([]);
});

describeSyncFaults({
  name: 'dashscope',
  create: (url, timeoutMs) => createDashscope({ upstream: upstreamAt('dashscope', url) }, { timeoutMs }),
  request: aRequest({ slots: [3] }),
  answerWith: (data) => ({ output: { choices: [{ message: { content: [{ image: data }] } }] } }),
});
