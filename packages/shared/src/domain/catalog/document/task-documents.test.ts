import { describe, expect, test } from '@jest/globals';
import { checkDocument } from './index.js';

const POLL = {
  path: '/tasks/{id}',
  status: '$.status',
  running: ['pending'],
  done: ['completed'],
  failed: ['failed'],
  images: '$.results[*]',
  error: '$.error.message',
};
const API = {
  protocol: 'task',
  base_url: 'https://relay.example/v1',
  submit: { path: '/jobs', body: { model: '{model}', prompt: '{prompt}' }, id: '$.id' },
  poll: POLL,
};
const check = (provider: object, route: object = {}) => {
  const model = {
    types: ['image_generate'],
    max_inputs: 0,
    price: { '1k': '0.02' },
    routes: [{ provider: 'relay', model: 'm', cost: { '1k': '0.01' }, ...route }],
  };
  return checkDocument(JSON.stringify({ providers: { relay: provider }, models: { m: model } }));
};
const faults = (provider: object, route?: object): readonly string[] => {
  const checked = check(provider, route);
  return 'faults' in checked ? checked.faults.map(({ path, message }) => `${path}: ${message}`) : [];
};

describe('a task API in a document', () => {
  test.each(['apimart', 'evolink', 'kie', 'sub2api', 'image-gateway'])(
    'a task API may be a preset and nothing else: %s',
    (preset) => {
      expect(faults({ protocol: 'task', base_url: 'https://relay.example/v1', preset })).toEqual([]);
    },
  );

  test('a task API without a preset needs submission and poll', () => {
    expect(faults(API)).toEqual([]);
    expect(faults({ ...API, submit: undefined })).toMatchObject([/^providers\.relay\.submit: is required/]);
    expect(faults({ ...API, poll: undefined })).toMatchObject([/^providers\.relay\.poll: is required/]);
  });

  test.each([
    ['$..url', 'without filters'],
    ['$.results[?@.ok==true].url', 'without filters'],
    ['$.results[', 'must be a JSONPath'],
    ['results', 'must be a JSONPath'],
    [`$${'.a'.repeat(11)}`, 'at most 10 segments'],
  ])('a path of a task API is JSONPath without filters and descent: %s', (images, message) => {
    expect(faults({ ...API, poll: { ...POLL, images } }).join()).toContain(message);
  });

  test('names in brackets may look like anything in a path of a task API', () => {
    expect(faults({ ...API, poll: { ...POLL, images: "$['FilterSelector'][*]['..']" } })).toEqual([]);
  });

  test.each<[object, string]>([
    [
      { submit: { ...API.submit, body: { prompt: '{prompt}', x: '{promt}' } } },
      'unknown placeholder {promt}',
    ],
    [
      { submit: { ...API.submit, body: { text: 'constant' } } },
      'submit.body: needs the placeholder {prompt}',
    ],
    [{ idempotent: true }, 'idempotent: needs the placeholder {call}'],
    [{ poll: { ...POLL, path: '/tasks' } }, 'poll.path: needs the placeholder {id}'],
    [{ poll: { ...POLL, failed: ['pending'] } }, 'the state "pending" stands in the lists twice'],
    [{ cost_unit: '0' }, 'cost_unit: must be dollars above 0'],
    [{ submit: { ...API.submit, headers: { host: 'x' } } }, 'submit.headers.host: unknown field'],
    [{ submit: { ...API.submit, path: 'https://elsewhere.example/' } }, 'must begin with a slash'],
  ])('a mistake in a task API is named: %j', (change, message) => {
    expect(faults({ ...API, ...change }).join('\n')).toContain(message);
  });

  test('fields of a task API are refused with another protocol', () => {
    expect(faults({ protocol: 'openai', base_url: 'https://relay.example/v1', preset: 'kie' })).toEqual([
      'providers.relay.preset: is for protocol: task only',
    ]);
  });

  const all = { quality: ['low', 'medium', 'high'], seed: 4_294_967_295 };
  const headers = { 'idempotency-key': '{call}' };
  const ownSubmit = {
    ...API.submit,
    headers,
    body: { prompt: '{prompt}', quality: '{quality}', seed: '{seed}' },
  };
  test.each<[string, object, object, object]>([
    ['apimart', {}, {}, { ...all, seed: null, negativePrompt: false }],
    // Its models decide: a field that one of them does not take would be refused.
    ['image-gateway', {}, {}, { quality: [], seed: null, outputFormat: [], negativePrompt: true }],
    ['image-gateway', {}, { accepts: { seed: true, quality: ['low'] } }, { ...all, quality: ['low'] }],
    ['image-gateway', { submit: ownSubmit }, {}, all],
  ])('a route through the preset %s with %j, itself with %j, takes %j', (preset, more, route, accepts) => {
    const checked = check({ protocol: 'task', base_url: 'https://relay.example/v1', preset, ...more }, route);
    const [first] = 'catalog' in checked ? (checked.catalog.models.get('m')?.routes ?? []) : [];
    expect(first?.accepts).toMatchObject(accepts);
  });

  test('a route to another gateway edits where it says so', () => {
    const provider = { protocol: 'task', base_url: 'https://relay.example/v1', preset: 'image-gateway' };
    const both = ['image_generate', 'image_edit'];
    const checkModel = (route: object) => {
      const routes = [{ provider: 'relay', model: 'm', cost: { '1k': '0.01' }, ...route }];
      const models = { m: { types: both, price: { '1k': '0.02' }, routes } };
      return checkDocument(JSON.stringify({ providers: { relay: provider }, models }));
    };
    expect(checkModel({})).toMatchObject({
      faults: [{ path: 'models.m.types', message: 'no route does image_edit; possible: image_generate' }],
    });
    expect(checkModel({ types: both })).not.toHaveProperty('faults');
  });

  test('a route can do what the body of its task API says', () => {
    const checked = check(API);
    const route = 'catalog' in checked ? checked.catalog.models.get('m')?.routes[0] : undefined;
    expect(route).toMatchObject({ types: ['image_generate'], maxInputs: 0, maxImagesPerCall: 1 });
    expect(
      faults(API, { types: ['image_edit', 'image_generate'], max_inputs: 2, max_images_per_call: 2 }),
    ).toEqual([
      'models.m.routes.0.types: the body has no {inputs}; say types: [image_generate]',
      'models.m.routes.0.max_inputs: the body has no {inputs}; say max_inputs: 0',
      'models.m.routes.0.max_images_per_call: the body has no {n}: one image a job',
    ]);
  });
});
