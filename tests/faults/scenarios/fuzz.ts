import { callHttp } from '../load/http-client.js';
import type { Random } from '../random.js';
import { dashboardFuzz, TIMES } from './dashboard-fuzz.js';
import type { Scenario } from './scenario.js';

const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../..',
  "' OR 1=1 --",
  '\u202e',
  'x'.repeat(2_001),
  '%00',
  '\r\nx: y',
];
const VALUES = [null, true, 0, -1, 1.5, 1e308, '2', [], {}, [[[]]], { __proto__: { polluted: 1 } }, ...TEXTS];
const FIELDS = [
  'model',
  'prompt',
  'negative_prompt',
  'aspect_ratio',
  'num_outputs',
  'resolution',
  'image_urls',
  'webhook_url',
  'duration',
  '__proto__',
  'constructor',
  'unknown',
];
/** Client address of its own: forged keys use up the failed authentications of an address. */
const ADDRESS = '127.0.0.8';
const FACADE = ['/openai/v1/images/edits', '/openai/v1/images/generations'];
const FACADE_FIELDS = [
  'model',
  'user',
  'n',
  'size',
  'quality',
  'aspect_ratio',
  'resolution',
  'response_format',
  'stream',
  'background',
  'negative_prompt',
  'metadata',
  'image',
  'image_url',
  'mask',
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

function body(random: Random): string {
  const wish: Record<string, unknown> = { model: 'nanobanana', prompt: 'sandbox:fixed sandbox:fail=invalid' };
  for (let n = random.int(0, 3); n > 0; n -= 1) {
    wish[random.pick(FIELDS)] = random.pick(VALUES);
  }
  const text = JSON.stringify(wish);
  const drawn = random.next();
  if (drawn < 0.1) {
    return text.slice(0, random.int(0, text.length));
  }
  if (drawn < 0.15) {
    return `${'['.repeat(9_000)}${']'.repeat(9_000)}`;
  }
  return drawn < 0.2 ? `{"prompt":"a","prompt":"b",${text.slice(1)}` : text;
}

/** Body for the facade: an image whose URL the database cannot store, or that is none, and odd values in other fields. */
function facadeBody(random: Random): string {
  const url = random.pick(['http://example.com/a\u0000.png', 'http://example.com/\ud800', 'http:a', '', 1]);
  const odd = random.pick([...FACADE_FIELDS, 'unknown']);
  return JSON.stringify({
    prompt: random.pick(['x', 'a\u0000', '\udc00']),
    ...(random.chance(0.7) && { images: [{ image_url: url }] }),
    ...(random.chance(0.7) && { [odd]: random.pick<unknown>(VALUES) }),
  });
}

function path(random: Random): string {
  const id = random.pick(['gen_', `gen_${'a'.repeat(22)}`, ...TEXTS.slice(4)]);
  const time = `${random.pick(['from', 'to'])}=${random.pick(TIMES)}`;
  return random.pick([
    '/v1/generate',
    '/v1/generate',
    `/v1/tasks/${encodeURIComponent(id.toWellFormed())}`,
    `/v1/tasks?page=${random.pick(['0', '-1', '1e18', 'x', '', '99999999999999999999'])}&per_page=${random.int(-1, 102)}`,
    `/v1/tasks?status=${encodeURIComponent(random.pick(['pending', 'x', '[]']))}&created_after=${random.pick(['x', '2026', '-'])}`,
    `/v1/usage?from=${random.pick(['x', '9999-99-99', '2026-01-01T00:00:00Z'])}`,
    `/v1/usage?format=${random.pick(['csv', 'ndjson'])}&${time}`,
    `/v1/usage/summary?group_by=${random.pick(['model', 'day', 'hour', 'day,model'])}&${time}`,
    `/v1/tasks?created_before=${random.pick(TIMES)}`,
    '/v1/usage/summary?model=x&model=y',
    `/v1/tasks/${random.pick(['%00', 'gen_%00'])}`,
    ...FACADE,
    `/files/images/${random.pick(['..%2f..', 'gen_a', ''])}/0.png`,
    '/v1/openapi.json',
    '/v1/unknown',
    '/%',
  ]);
}

/** Generated requests at every address of the API. */
export const fuzzScenarios: readonly Scenario[] = [
  {
    name: 'api-fuzzed',
    fault: 'generated methods, paths, ids, headers and bodies at every endpoint',
    outcome: 'no answer of 500 or more, each in the envelope; the API lives on',
    mayRefuse: [400],
    run: async (scene) => {
      const { fleet } = scene.lab;
      const deaths = (): number => fleet.process('api-1').deaths() + fleet.process('api-2').deaths();
      const before = deaths();
      const { random } = scene;
      const other = await scene.another(0n);
      const one = async (): Promise<void> => {
        const target = path(random);
        const isFacade = FACADE.includes(target);
        const usual = isFacade || target === '/v1/generate' ? 'POST' : 'GET';
        const method = random.chance(0.5) ? usual : random.pick(METHODS);
        const headers: Record<string, string> = {
          authorization: random.pick([
            `Bearer ${other.apiKey}`,
            `bearer  ${other.apiKey}`,
            'Bearer',
            `Bearer ${'x'.repeat(5_000)}`,
          ]),
          'content-type': random.pick([
            'application/json',
            'application/json; charset=utf-16',
            'text/plain',
            'application/json',
          ]),
          'x-request-id': random.pick(['a', 'x'.repeat(200), '<b>', 'ok']),
          ...(random.chance(0.3) && {
            'idempotency-key': random.pick(['k', 'x'.repeat(300), '\u00e9', ' ']),
          }),
          ...(random.chance(0.1) && { range: 'bytes=9-1,5' }),
        };
        const sent =
          method === 'GET' || method === 'HEAD' ? undefined : isFacade ? facadeBody(random) : body(random);
        const answer = await callHttp({
          url: `${random.pick(fleet.apiUrls)}${target}`,
          method,
          headers,
          localAddress: ADDRESS,
          ...(sent !== undefined && { body: sent }),
        });
        scene.must(
          answer.status < 500,
          `${method} ${target} answers ${answer.status}: ${sent?.slice(0, 200)}`,
        );
      };
      for (let n = 0; n < 120; n += 1) {
        await Promise.all(Array.from({ length: 20 }, one));
      }
      scene.figure('requests', 2_400);
      scene.injected();
      scene.must(deaths() === before, 'an API died');
      await scene.submitOne({ prompt: 'sandbox:fixed' });
    },
  },
  dashboardFuzz,
];
