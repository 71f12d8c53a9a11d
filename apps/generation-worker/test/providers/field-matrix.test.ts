import {
  ALL_CAPABILITIES,
  type Capabilities,
  describeAbilities,
  getProtocolFields,
  type TaskApi,
} from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { buildRequest as buildBfl } from '../../src/providers/bfl/build-request.js';
import { buildRequest as buildComfyui } from '../../src/providers/comfyui/build-request.js';
import { buildRequest as buildDashscope } from '../../src/providers/dashscope/create-dashscope.js';
import { buildRequest as buildFal } from '../../src/providers/fal/build-request.js';
import { buildRequest as buildGemini } from '../../src/providers/gemini/build-request.js';
import { buildRequest as buildOpenai } from '../../src/providers/openai/build-request.js';
import { buildRequest as buildOpenrouter } from '../../src/providers/openrouter/build-request.js';
import type { ProviderRequest, RequestFields } from '../../src/providers/port.js';
import { buildRequest as buildReplicate } from '../../src/providers/replicate/build-request.js';
import { buildRequest as buildSdapi } from '../../src/providers/sdapi/build-request.js';
import { buildRequest as buildTask } from '../../src/providers/task/build-request.js';
import { chooseFields, type FieldTask } from '../../src/routing/choose-fields.js';
import { aRequest, buildInput } from './support/a-request.js';

const hole = { width: 8, height: 8, channels: 4, background: '#00000000' } as const;
const mask = buildInput((await sharp({ create: hole }).png().toBuffer()).toString('base64'));
const workflow = {
  6: { class_type: 'X', inputs: { text: '{{prompt}}', not: '{{negative_prompt}}', seed: '{{seed}}' } },
};
const poll: TaskApi['poll'] = {
  path: '/{id}',
  status: '$.status',
  running: ['running'],
  done: ['done'],
  failed: ['failed'],
  images: '$.images[*]',
  error: '$.error',
};
const buildTaskApi = (body: TaskApi['submit']['body']): TaskApi => ({
  submit: { path: '/', body: { prompt: '{prompt}', images: '{inputs}', ...body }, id: '$.id' },
  poll,
});
/** Task APIs whose bodies have places for all fields, and for none. */
const TASK_APIS = {
  'task, all places': buildTaskApi({
    negative: '{negative_prompt}',
    quality: '{quality}',
    seed: '{seed}',
    format: '{output_format}',
    background: '{background}',
    mask: '{mask}',
  }),
  'task, a prompt alone': buildTaskApi({}),
} as const;
const buildFor =
  (api: TaskApi) =>
  (request: ProviderRequest): unknown =>
    buildTask(api, request, {
      inputs: request.inputs.map(() => 'an-image'),
      mask: request.fields.mask && 'a-mask',
    });
/** Builds what an adapter sends. */
const ADAPTERS: Readonly<Record<string, (request: ProviderRequest) => unknown>> = {
  openai: (request) => buildOpenai(request, 'openai'),
  'openai, compatible': (request) => buildOpenai(request, 'compatible'),
  gemini: buildGemini,
  fal: (request) => buildFal(request, request.fields.mask),
  replicate: ({ inputs: _inputs, ...request }) =>
    buildReplicate(request, [], request.fields.mask && 'a-mask'),
  openrouter: buildOpenrouter,
  bfl: buildBfl,
  dashscope: buildDashscope,
  sdapi: buildSdapi,
  comfyui: ({ inputs: _inputs, ...request }) => buildComfyui(request, [], 1),
  'task, all places': buildFor(TASK_APIS['task, all places']),
  'task, a prompt alone': buildFor(TASK_APIS['task, a prompt alone']),
};
/** A field as a need or as a wish, with a value that no adapter asks for by itself. */
const FIELDS: Readonly<Record<string, Partial<FieldTask>>> = {
  quality: { quality: 'high' },
  seed: { seed: 7 },
  output_format: { outputFormat: 'webp' },
  background: { background: 'transparent' },
  mask: { mask: 'input:up_1', type: 'image_edit' },
  'negative prompt': { negativePrompt: 'text' },
  'wish quality': { wishes: { quality: 'low' } },
  'wish seed': { wishes: { seed: 7 } },
  'wish output_format': { wishes: { output_format: 'webp' } },
  'wish output_compression': { wishes: { output_format: 'webp', output_compression: 60 } },
  'wish moderation': { wishes: { moderation: 'low' } },
  'wish input_fidelity': { wishes: { input_fidelity: 'high' }, type: 'image_edit' },
  'wish style': { wishes: { style: 'vivid' } },
};
const plain: FieldTask = {
  ...({ type: 'image_generate', negativePrompt: null, quality: null, seed: null } as const),
  outputFormat: null,
  background: null,
  mask: null,
  wishes: null,
};

/** Returns what becomes of a field at a route. */
async function follow(name: string, adapter: string, accepts: Capabilities): Promise<string> {
  const task: FieldTask = { ...plain, ...FIELDS[name] };
  const terms = {
    accepts,
    quality: null,
    preferredQualities: accepts.quality.filter((one) => one === 'low'),
  };
  const chosen = chooseFields(task, terms, 0);
  if (chosen === null) {
    return 'refused';
  }
  const left = chosen.unused.filter((one) => name.endsWith(one));
  if (left.length > 0) {
    return 'reported';
  }
  const build = async (fields: RequestFields, negativePrompt: string | null): Promise<string> => {
    const inputs = task.type === 'image_edit' ? [buildInput('aW1hZ2U=')] : [];
    const common = { model: 'gpt-image-2', options: { workflow, image_field: 'images[]' } };
    const request = aRequest({ ...common, inputs, fields, negativePrompt });
    return JSON.stringify(await ADAPTERS[adapter]?.(request));
  };
  // The format belongs to the compression.
  const base = name.endsWith('compression') ? { outputFormat: 'webp' as const } : {};
  const fields = { ...chosen.fields, ...(task.mask !== null && { mask }) };
  return (await build(fields, task.negativePrompt)) === (await build(base, null)) ? 'IGNORED' : 'sent';
}

const PROTOCOLS = {
  openai: 'openai',
  'openai, compatible': 'openai',
  gemini: 'gemini',
  fal: 'fal',
  replicate: 'replicate',
  openrouter: 'openrouter',
  bfl: 'bfl',
  dashscope: 'dashscope',
  sdapi: 'sdapi',
  comfyui: 'comfyui',
} as const;

/** Fields that each adapter sends, in the order of `FIELDS`. */
const SEEDED = ['seed', 'negative prompt', 'wish seed'];
const OPENAI = [
  'quality',
  'output_format',
  'background',
  'mask',
  'negative prompt',
  'wish quality',
  'wish output_format',
  'wish output_compression',
  'wish moderation',
  'wish input_fidelity',
];
const SENT: Readonly<Record<string, readonly string[]>> = {
  openai: OPENAI,
  'openai, compatible': OPENAI,
  gemini: SEEDED,
  fal: ['negative prompt'],
  replicate: ['negative prompt'],
  openrouter: ['negative prompt'],
  bfl: SEEDED,
  dashscope: SEEDED,
  sdapi: ['seed', 'mask', 'negative prompt', 'wish seed'],
  comfyui: SEEDED,
  'task, all places': [
    'quality',
    'seed',
    'output_format',
    'background',
    'mask',
    'negative prompt',
    'wish quality',
    'wish seed',
    'wish output_format',
  ],
  'task, a prompt alone': ['negative prompt'],
};
/** Returns what becomes of a field that a route does not take: a need is refused, a wish is reported. */
const whenNotSent = (name: string): string => (name.startsWith('wish ') ? 'reported' : 'refused');

describe('each field at each route', () => {
  test('each field at each route is sent, refused by name, or reported; none is ignored', async () => {
    const routes = [
      ...Object.entries(PROTOCOLS).map(
        ([adapter, protocol]) => [adapter, getProtocolFields(protocol).accepts({ workflow })] as const,
      ),
      ...Object.entries(TASK_APIS).map(
        ([adapter, api]) => [adapter, describeAbilities(api).accepts] as const,
      ),
    ];
    const followAll = async (adapter: string, accepts: Capabilities) =>
      Object.fromEntries(
        await Promise.all(
          Object.keys(FIELDS).map(async (name) => [name, await follow(name, adapter, accepts)] as const),
        ),
      );
    const rows = routes.map(
      async ([adapter, accepts]) => [adapter, await followAll(adapter, accepts)] as const,
    );
    const matrix = Object.fromEntries(await Promise.all(rows));
    const cells = Object.values(matrix).flatMap((row) => Object.entries(row));
    expect(cells.filter(([name, cell]) => cell !== 'sent' && cell !== whenNotSent(name))).toEqual([]);
    const sent = Object.entries(matrix).map(
      ([adapter, row]) => [adapter, Object.keys(row).filter((name) => row[name] === 'sent')] as const,
    );
    expect(Object.fromEntries(sent)).toEqual(SENT);
  });

  // A document may say that a model of these takes every field.
  test.each(['openai', 'openai, compatible', 'fal', 'replicate', 'openrouter'])(
    'each field that a route of %s takes is in its request',
    async (adapter) => {
      const accepts = { ...ALL_CAPABILITIES, mask: adapter !== 'openrouter' };
      const cells = await Promise.all(
        Object.keys(FIELDS).map(async (name) => [name, await follow(name, adapter, accepts)]),
      );
      const expected = adapter === 'openrouter' ? [['mask', 'refused']] : [];
      expect(cells.filter(([, cell]) => cell !== 'sent')).toEqual(expected);
    },
  );
});
