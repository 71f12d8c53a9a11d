import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { generateSchema, parseGenerateRequest } from '@image-gateway/shared/task';
import { parseQuery, querySchemas } from '@image-gateway/shared/validation';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { readImageFields } from './openai/request/read-image-fields.js';
import { facadeRoutes } from './openai/routes.js';
import { buildDocument } from './openapi.js';
import { customerRoutes, publicRoutes } from './routes.js';

const offered = [...readBuiltInCatalog().models.values()];
const models = offered.map(({ id }) => id);
const generate = generateSchema({
  models: offered,
  isAllowedImageUrl: () => true,
  isAllowedWebhookUrl: () => true,
});
const queries = querySchemas({ models });
const urls = { baseUrl: 'https://a.example', fileUrl: 'https://a.example/files', accept: {} };
// Routes need their dependencies once they are called.
const routes = [
  ...customerRoutes(urls as never),
  ...facadeRoutes(urls as never),
  ...publicRoutes(urls as never, () => ({ status: 200 })),
];
const options = { ...urls, schema: generate, queries, routes };
const document = buildDocument(options);

type Fields = Record<string, object>;
interface Operation {
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly schema: object }[];
  readonly responses: Record<string, { readonly content: Record<string, Media> }>;
}
interface Media {
  readonly examples: Record<string, { readonly value: { readonly data: Record<string, unknown> } }>;
}
const json = JSON.parse(JSON.stringify(document)) as {
  readonly paths: Record<string, { readonly get?: Operation; readonly post?: Operation }>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(json, 'doc');
const validator = (pointer: string) => ajv.compile({ $ref: `doc#${pointer}` });

const FACADE_BODY = '/paths/~1openai~1v1~1images~1generations/post/requestBody/content/application~1json';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', '🦊'.repeat(2000), 'x'.repeat(2001), '\u0000'),
);
const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined));
const maybe = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: anything });
const url = fc.oneof(
  { weight: 10, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
  fc.constantFrom('https://例え.jp/画', 'HTTP://A.B', 'x', 'ftp://a'),
  text,
);

const body = fc.record(
  {
    model: maybe(fc.constantFrom(...models)),
    prompt: maybe(text),
    negative_prompt: maybe(text),
    aspect_ratio: maybe(fc.constantFrom('16:9', '9:16')),
    num_outputs: maybe(fc.integer({ min: 1, max: 5 })),
    resolution: maybe(fc.constantFrom('1k', '2k', '4k')),
    image_urls: maybe(fc.array(url, { maxLength: 3 })),
    webhook_url: maybe(url),
    duration: maybe(fc.integer({ min: 1, max: 61 })),
    other: anything,
  },
  { requiredKeys: ['model', 'prompt'] },
);

describe('the document', () => {
  test('the document allows every body that the API accepts', () => {
    const validate = validator('/components/schemas/GenerateRequest');
    let accepted = 0;
    fc.assert(
      fc.property(body, (candidate) => {
        const sent = JSON.parse(JSON.stringify(candidate)) as unknown;
        if ('fault' in parseGenerateRequest(generate, sent)) {
          return;
        }
        accepted++;
        if (!validate(sent)) {
          throw new Error(`${JSON.stringify(sent)}: ${ajv.errorsText(validate.errors)}`);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test.each([
    ['/v1/tasks', queries.tasks],
    ['/v1/usage', queries.usage],
    ['/v1/usage/summary', queries.usageSummary],
  ] as const)(
    'the document names every parameter of %s and allows every value that the API accepts',
    (path, schema) => {
      const parameters = json.paths[path]?.get?.parameters ?? [];
      const values: Record<string, unknown[]> = {
        page: ['1', '9007199254740991'],
        per_page: ['1', '100'],
        status: ['pending'],
        model: models,
        type: ['image_edit'],
        api_key_id: ['key_2umZp7lvKpOKwN1GAlmyr1'],
        include: ['refunds'],
        format: ['csv', 'ndjson'],
        group_by: ['hour', 'day,key,model', 'day,metadata:user'],
        metadata: [{ user: '42' }],
      };
      const times = [
        '2026-01-31',
        '2026-01-31T12:00:00Z',
        '2026-01-31T12:00:00.123+02:00',
        '2026-02-28T23:59:59-23:59',
      ];
      for (const { name, schema: field } of parameters) {
        for (const value of values[name] ?? times) {
          expect(parseQuery(schema as never, { [name]: value })).toHaveProperty('query');
          expect(ajv.validate(field, /page/.test(name) ? Number(value) : value)).toBe(true);
        }
      }
      expect(parameters.map(({ name }) => name)).toEqual(Object.keys(schema.describe().keys as object));
    },
  );

  test.each([
    [{}, true],
    [{ prompt: '' }, false],
    [{ prompt: ' ' }, false],
    [{ prompt: 'x'.repeat(32_001) }, false],
    [{ negative_prompt: 'x'.repeat(5_000) }, false],
    [{ negative_prompt: 'x' }, true],
    [{ n: 10 }, true],
    [{ n: 0 }, false],
    [{ n: 11 }, false],
    [{ n: 1.5 }, false],
    [{ size: 'auto' }, true],
    [{ size: '1024x768' }, true],
    [{ size: '0x768' }, false],
    [{ size: 'large' }, false],
    [{ response_format: 'url' }, true],
    [{ response_format: 'png' }, false],
    [{ stream: 1 }, false],
    [{ async: 'yes' }, false],
    [{ user: 5 }, false],
    [{ quality: 'anything', seed: -1 }, true],
  ])('the facade and its document agree on %j', (fields, isValid) => {
    const body = { prompt: 'x', ...fields };
    let isRead = true;
    try {
      readImageFields(body);
    } catch {
      isRead = false;
    }
    const validate = validator(`${FACADE_BODY}/schema`);
    expect([isRead, validate(body)]).toEqual([isValid, isValid]);
  });

  test('the document has every route of the API and no other', () => {
    const documented = Object.keys(json.paths).map((path) => path.replace(/\{[^}]*\}/g, ':x'));
    const real = routes
      .map(({ path }) => path.replace(/:[a-z]+/g, ':x'))
      .filter((path) => !path.startsWith('/docs'));
    expect(documented.sort()).toEqual([...new Set(real)].sort());
  });

  test('the document holds what its own examples show', () => {
    const check = (pointer: string, examples: Record<string, { value: unknown }>) => {
      const validate = validator(`${pointer}/schema`);
      for (const [name, { value }] of Object.entries(examples)) {
        expect([name, validate(value), ajv.errorsText(validate.errors)]).toEqual([name, true, 'No errors']);
      }
    };
    let checked = 0;
    const walk = (node: unknown, pointer: string): void => {
      if (typeof node !== 'object' || node === null) {
        return;
      }
      for (const [key, value] of Object.entries(node)) {
        const next = `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
        if (key === 'application/json' && value.examples) {
          check(next, value.examples);
          checked++;
        } else {
          walk(value, next);
        }
      }
    };
    walk(json, '');
    expect(checked).toBeGreaterThan(10);
  });

  test('the document says what is absent in which status', () => {
    const validate = validator('/components/schemas/Task');
    const examples =
      json.paths['/v1/tasks/{id}']?.get?.responses['200']?.content['application/json']?.examples;
    const task = examples?.completed?.value.data;
    const pending = examples?.pending?.value.data;
    expect(validate(task)).toBe(true);
    expect(validate({ ...task, error: 'x' })).toBe(false);
    expect(validate({ ...task, output: undefined })).toBe(false);
    expect(validate({ ...pending, output: task?.output })).toBe(false);
    expect(validate({ ...task, error: null })).toBe(false);
    expect(validate({ ...task, cost: '0.01' })).toBe(false);
  });

  test('no schema has a default, and no list of today closes a field that a model of tomorrow can open', () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('"default":');
    const { properties } = (document.components as { schemas: { GenerateRequest: { properties: Fields } } })
      .schemas.GenerateRequest;
    expect(properties.model).toEqual({ type: 'string', description: 'Model ID.', examples: models });
    const small = {
      models: offered.slice(0, 1),
      isAllowedImageUrl: () => true,
      isAllowedWebhookUrl: () => true,
    };
    const other = buildDocument({ ...options, schema: generateSchema(small) });
    const named = JSON.stringify(other).replace(JSON.stringify(models.slice(0, 1)), JSON.stringify(models));
    expect(named).toBe(text);
  });

  test('generators of clients find nothing that becomes code which does not compile: null alone, a union in a union, image/*', () => {
    const { schemas } = document.components as { schemas: Record<string, object> };
    const isUnion = (schema: { $ref?: string }): boolean =>
      'oneOf' in schema || 'oneOf' in (schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? {});
    const faults: string[] = [];
    JSON.stringify(document, (name, value: unknown) => {
      if (name === 'image/*' || JSON.stringify(value) === '{"type":"null"}') {
        faults.push(name);
      }
      if ((name === 'anyOf' || name === 'oneOf') && Array.isArray(value) && value.some(isUnion)) {
        faults.push(`${name} of unions`);
      }
      return value;
    });
    expect(faults).toEqual([]);
  });

  test('every operation has a tag that the document describes, and every error is the schema ErrorResponse', () => {
    const { tags } = document as { tags: { name: string }[] };
    const operations = Object.values(json.paths).flatMap((path) => Object.values(path));
    expect(operations.length).toBeGreaterThan(15);
    for (const operation of operations) {
      expect(tags.map(({ name }) => name)).toContain(operation.tags[0]);
    }
    const { responses } = document.components as { responses: Record<string, { content: object }> };
    for (const { content } of Object.values(responses)) {
      expect(content).toMatchObject({
        'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } },
      });
    }
  });
});
