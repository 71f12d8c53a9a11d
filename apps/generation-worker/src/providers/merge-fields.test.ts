import { describe, expect, test } from '@jest/globals';
import { buildRequest as buildFal } from './fal/build-request.js';
import { buildRequest as buildGemini } from './gemini/build-request.js';
import { asRecord } from './http/json-decoder.js';
import { buildRequest as buildOpenai } from './openai/build-request.js';
import { buildRequest as buildOpenrouter } from './openrouter/build-request.js';
import type { ProviderRequest } from './port.js';
import { buildRequest as buildReplicate } from './replicate/build-request.js';

const REQUEST: ProviderRequest = {
  taskId: 'gen_1',
  callId: 'call-1',
  model: 'owner/name',
  prompt: 'a fox',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '1k',
  takesResolution: true,
  key: null,
  fields: {},
  options: {},
  slots: [0],
  inputs: [],
  earlierCalls: 0,
  job: null,
};

type Build = (request: ProviderRequest) => unknown;

/** Adapters with the place of their options in the body, a default of each, and its fields of the shape. */
const ADAPTERS: readonly (readonly [string, Build, string, Readonly<Record<string, unknown>>])[] = [
  ['fal', (request) => buildFal(request).body, 'output_format', { aspect_ratio: '9:16', resolution: '1K' }],
  [
    'Replicate',
    (request) => buildReplicate(request, []).body.input,
    'output_format',
    { aspect_ratio: '9:16', resolution: '1K' },
  ],
  ['OpenRouter', buildOpenrouter, 'output_format', { aspect_ratio: '9:16', resolution: '1K', n: 1 }],
  ['OpenAI', (request) => buildOpenai(request, 'openai').fields, 'quality', { size: '864x1536', n: 1 }],
  [
    'a compatible server',
    (request) => buildOpenai(request, 'compatible').fields,
    'response_format',
    { size: '768x1376', n: 1 },
  ],
  ['Gemini', (request) => buildGemini(request).generationConfig, 'responseModalities', { candidateCount: 1 }],
  [
    'the image of Gemini',
    ({ options, ...request }) =>
      asRecord(buildGemini({ ...request, options: { imageConfig: options } }).generationConfig)?.imageConfig,
    'personGeneration',
    { aspectRatio: '9:16', imageSize: '1K' },
  ],
];

describe.each(ADAPTERS)('options of a route to %s', (name, build, field, shape) => {
  test(`options of a route to ${name} replace the defaults of the adapter`, () => {
    expect(build({ ...REQUEST, options: { [field]: 'mine', further: 7 } })).toMatchObject({
      [field]: 'mine',
      further: 7,
    });
  });

  test(`options of a route to ${name} replace no value of the customer`, () => {
    const options = Object.fromEntries(Object.keys(shape).map((one) => [one, 'of the route']));
    expect(build({ ...REQUEST, options })).toMatchObject(shape);
  });

  test(`an option null of a route to ${name} leaves its field out`, () => {
    const given = [field, ...Object.keys(shape)];
    const body = build({ ...REQUEST, options: Object.fromEntries(given.map((one) => [one, null])) });
    for (const one of given) {
      expect(body).not.toHaveProperty(one);
    }
  });
});

test.each([
  ['fal', (request: ProviderRequest) => buildFal(request).body],
  ['Replicate', (request: ProviderRequest) => buildReplicate(request, []).body.input],
  ['OpenRouter', buildOpenrouter],
  ['OpenAI', (request: ProviderRequest) => buildOpenai(request, 'openai').fields],
] as const)('no option of a route to %s leaves the prompt out', (_name, build) => {
  expect(build({ ...REQUEST, options: { prompt: null } })).toHaveProperty('prompt', 'a fox');
});

test('an option null of a route to Gemini leaves the safety settings out', () => {
  expect(buildGemini({ ...REQUEST, options: { safetySettings: null } })).not.toHaveProperty('safetySettings');
});
