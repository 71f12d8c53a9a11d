import { describe, expect, test } from '@jest/globals';
import {
  checkDocument,
  findKeptFaults,
  formatFault,
  type MergedDocument,
  readStoredDocument,
} from './index.js';

const providers = `
providers:
  bfl: { protocol: bfl, base_url: "https://api.bfl.ai" }
  qwen: { protocol: dashscope, base_url: "https://dashscope-intl.aliyuncs.com" }
  azure: { protocol: azure-openai, base_url: "https://x.openai.azure.com" }
`;
const route = (provider: string, model: string, more = ''): string => `${providers}
models:
  m:
    price: { 1k: "0.05" }
    types: [image_generate]
    max_inputs: 1
    routes:
      - { provider: ${provider}, model: ${model}, cost: { 1k: "0.04" }, types: [image_generate] }
      - { provider: ${provider}, model: ${model}, ${more || 'cost: { 1k: "0.04" }'} }
`;
const findFaults = (source: string, stored?: unknown): string[] => {
  const checked = checkDocument(source, stored);
  return 'faults' in checked ? checked.faults.map(formatFault) : [];
};

describe('edits of a BFL route', () => {
  test.each([
    ['flux-pro-1.1', 'cost: { 1k: "0.04" }, max_inputs: 1'],
    ['flux-pro-1.1-ultra', 'cost: { 1k: "0.04" }, max_inputs: 1'],
    ['flux-dev', 'cost: { 1k: "0.04" }, max_inputs: 1, options: { image_field: image_prompt }'],
    ['flux-2-pro', 'cost: { 1k: "0.04" }, max_inputs: 1, options: { edit_model: flux-dev }'],
    ['flux-7', 'cost: { 1k: "0.04" }, max_inputs: 1'],
  ])('are refused where %s takes no input image: %s', (model, more) => {
    expect(findFaults(route('bfl', model, more))).toEqual([
      expect.stringMatching(
        /^models\.m\.routes\.1\.options\.image_field: .* has no known field for input images/,
      ),
    ]);
  });

  test.each([
    ['flux-2-pro', 'max_inputs: 8'],
    ['flux-2-klein-9b', 'max_inputs: 4'],
    ['flux-kontext-max', 'max_inputs: 4'],
    ['flux-7', 'max_inputs: 1, options: { image_field: image }'],
    [
      'flux-dev',
      'types: [image_generate, image_edit], max_inputs: 1, options: { edit_model: flux-kontext-pro }',
    ],
    ['flux-pro-1.0-fill', 'types: [image_edit], max_inputs: 1, accepts: { mask: true }'],
  ])('are taken where %s takes input images: %s', (model, more) => {
    const source = route('bfl', model, `cost: { 1k: "0.04" }, ${more}`);
    expect(findFaults(source.replace(/ {6}- .*\n/, ''))).toEqual(
      model.includes('fill') ? [expect.stringContaining('no route does image_generate')] : [],
    );
  });

  test.each([
    ['flux-2-klein-9b', 'max_inputs: 5', /max_inputs: .* at most 4 input images/],
    ['flux-pro-1.0-fill', 'types: [image_edit], max_inputs: 2', /max_inputs: .* at most 1 input images/],
    ['flux-pro-1.0-fill', 'max_inputs: 1', /types: .* only edits/],
    ['flux-2-pro', 'max_inputs: 1, accepts: { mask: true }', /accepts\.mask: .* no place/],
    [
      'flux-dev',
      'types: [image_generate], sizes: { "16:9": { 1k: "1264x832" } }',
      /sizes\.16:9\.1k: .*of 32/,
    ],
    ['flux-dev', 'types: [image_generate], sizes: { "16:9": { 1k: "1472x832" } }', /sizes\.16:9\.1k: .*1440/],
    [
      'flux-2-pro',
      'types: [image_generate], sizes: { "16:9": { 1k: "2752x1536" } }',
      /sizes.*four megapixels/,
    ],
  ])('%s has bounds: %s', (model, more, fault) => {
    const faults = findFaults(route('bfl', model, `cost: { 1k: "0.04" }, ${more}`));
    expect(faults).toContainEqual(expect.stringMatching(fault));
  });
});

describe('a resolution that a model has not', () => {
  test.each([
    ['bfl', 'flux-2-pro', '4k', '1k, 2k'],
    ['bfl', 'flux-dev', '2k', '1k'],
    ['bfl', 'flux-kontext-pro', '2k', '1k'],
    ['qwen', 'qwen-image-3.0-pro', '4k', '1k, 2k'],
    ['qwen', 'qwen-image-max', '2k', '1k'],
    ['gemini', 'gemini-2.5-flash-image', '2k', '1k'],
    ['fal', 'fal-ai/nano-banana', '4k', '1k'],
    ['replicate', 'google/nano-banana', '4k', '1k'],
    ['openrouter', 'google/gemini-2.5-flash-image', '4k', '1k'],
  ])('is not sold: %s %s at %s', (provider, model, resolution, possible) => {
    const more = `types: [image_generate], cost: { 1k: "0.04", ${resolution}: "0.1" }`;
    const fault = `there is no ${resolution} of ${model}; possible: ${possible}, or pixels of your own in sizes`;
    expect(findFaults(route(provider, model, more))).toEqual([
      `models.m.routes.1.cost.${resolution}: ${fault}`,
    ]);
    const sizes = 'sizes: { "16:9": { 1k: "1344x768" }, "9:16": { 1k: "768x1344" } }';
    expect(findFaults(route(provider, model, `${more}, ${sizes}`))).toEqual([]);
  });

  test('is sold where the model has it', () => {
    for (const [provider, model] of [
      ['fal', 'fal-ai/nano-banana-pro'],
      ['gemini', 'gemini-3-pro-image'],
      ['openai', 'gpt-image-2'],
    ] as const) {
      const more = 'types: [image_generate], cost: { 1k: "0.04", 4k: "0.1" }';
      expect(findFaults(route(provider, model, more))).toEqual([]);
    }
  });
});

describe('an address that people paste', () => {
  const at = (url: string) =>
    findFaults(
      route('azure', 'd', 'types: [image_generate], cost: { 1k: "0.04" }').replace(
        'https://x.openai.azure.com',
        url,
      ),
    );
  test.each([
    'https://x.openai.azure.com',
    'https://x.openai.azure.com/',
    'https://x.openai.azure.com/openai/',
    'https://x.openai.azure.com/openai/v1/',
    'https://x.services.ai.azure.com/openai/v1',
    'https://x.azure-api.net/images',
    'https://proxy.example/azure/openai',
  ])('is that of an Azure resource: %s', (url) => {
    expect(at(url)).toEqual([]);
  });
  test.each([
    'https://x.openai.azure.com/openai/deployments/d',
    'https://x.openai.azure.com/openai/deployments/d/images/generations?api-version=2025-04-01-preview',
    'https://x.openai.azure.com/openai/v1/images/generations',
    'https://x.openai.azure.com/v1',
    'https://x.services.ai.azure.com/api/projects/p',
    'https://x.azure-api.net/openai/deployments/d',
    'https://x.azure-api.net/openai/v1/images/edits',
  ])('is that of a request, and the fault says what to put there: %s', (url) => {
    expect(at(url)).toContainEqual(
      expect.stringMatching(
        /^providers\.azure\.base_url: must be the address of the resource alone, such as .*deployment is the model of a route/,
      ),
    );
  });

  test('is that of a request to a server of the protocol openai', () => {
    const source = (url: string) => `providers: { gpu: { protocol: openai, base_url: "${url}" } }`;
    expect(findFaults(source('http://gpu:8000/v1/images/generations'))).toEqual([
      expect.stringMatching(/^providers\.gpu\.base_url: is the address of one request/),
    ]);
    expect(findFaults(source('http://gpu:8000/models/v1'))).toEqual([]);
  });
});

describe('an entry that a newer rule refuses', () => {
  const GOOD = route('bfl', 'flux-2-pro', 'cost: { 1k: "0.04" }, max_inputs: 1');
  /** The text or document as a release stored it that did not have the rule. */
  const old = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('flux-2-pro', 'flux-pro-1.1')
        .replaceAll('azure.com', 'azure.com/openai/deployments/d'),
    ) as T;
  const SOURCE = old(GOOD);
  const checked = checkDocument(GOOD);
  const stored: MergedDocument | null = 'faults' in checked ? null : old(checked.document);

  test('stays in force where it is stored, and is named', () => {
    const catalog = readStoredDocument(stored);
    expect(catalog.models.get('m')?.routes).toHaveLength(2);
    expect(findKeptFaults(catalog).map(({ path }) => path)).toEqual([
      'providers.azure.base_url',
      'models.m.routes.1.options.image_field',
    ]);
    expect(findKeptFaults(catalog)[1]?.message).toContain('stays in force as it was stored');
  });

  test('is refused in a document of which nothing is stored', () => {
    expect(findFaults(SOURCE)).toHaveLength(2);
    expect(findFaults(SOURCE, {})).toHaveLength(2);
  });

  test.each([
    ['nothing', (text: string) => text],
    ['a price', (text: string) => text.replace('1k: "0.05"', '1k: "0.07"')],
    [
      'another model',
      (text: string) =>
        `${text}  n: { price: { 1k: "1" }, routes: [{ provider: fal, model: x, cost: { 1k: "0" } }] }`,
    ],
    [
      'another route before it',
      (text: string) =>
        text.replace(
          '{ provider: bfl, model: flux-pro-1.1, cost: { 1k: "0.04" }, types: [image_generate] }',
          '{ provider: fal, model: x, cost: { 1k: "0.04" } }',
        ),
    ],
    [
      'the keys of its provider',
      (text: string) => text.replace('"https://api.bfl.ai"', '"https://api.bfl.ai", key_env: BFL_KEYS'),
    ],
  ])('is left alone by an edit of %s', (_what, edit) => {
    expect(findFaults(edit(SOURCE), stored)).toEqual([]);
  });

  test.each([
    [
      'its cost',
      (text: string) => text.replace('1k: "0.04" }, max_inputs', '1k: "0.05" }, max_inputs'),
      'models.m.routes.1.',
    ],
    ['its model', (text: string) => text.replace('  m:', '  n:'), 'models.n.routes.1.'],
    [
      'its protocol',
      (text: string) =>
        text.replace(
          'provider: bfl, model: flux-pro-1.1, cost: { 1k: "0.04" }, max',
          'provider: replicate, model: flux-pro-1.1, cost: { 1k: "0.04" }, max',
        ),
      'models.m.routes.1.',
    ],
    ['its address', (text: string) => text.replace('deployments/d', 'deployments/e'), 'providers.azure.'],
  ])('is refused where an edit changes %s', (_what, edit, path) => {
    expect(findFaults(edit(SOURCE), stored)).toEqual([expect.stringContaining(path)]);
  });
});
