import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openSharedScene, type Scene } from './support/scene.js';

type Json = Record<string, unknown>;

let scene: Scene;

beforeAll(async () => {
  scene = await openSharedScene();
}, 700_000);
afterAll(() => scene.audit());

const page = async (target: string) => {
  const answer = await fetch(`${scene.product.url}${target}`);
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
};
const operation = (path: string, method: string) =>
  (scene.openapi.document.paths as Record<string, Record<string, Json>>)[path]?.[method] ?? {};

describe('GET /v1/openapi.json', () => {
  test('GET /v1/openapi.json is an OpenAPI 3.1 document, without a key', async () => {
    const { status, type } = await page('/v1/openapi.json');
    expect([status, type]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(scene.openapi.document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d+$/),
      info: { title: expect.any(String), version: expect.any(String) },
    });
  });

  test('GET /v1/openapi.json has the five endpoints, the Bearer scheme and every status of the error table', () => {
    const responses = (path: string, method: string) =>
      Object.keys(operation(path, method).responses as Json);
    expect(responses('/v1/generate', 'post')).toEqual(
      expect.arrayContaining(['202', '400', '401', '403', '429', '500', '502', '503']),
    );
    for (const path of ['/v1/tasks/{id}', '/v1/tasks', '/v1/usage', '/v1/usage/summary']) {
      expect(responses(path, 'get')).toEqual(
        expect.arrayContaining(['200', '401', '403', '429', '500', '503']),
      );
    }
    expect(responses('/v1/tasks/{id}', 'get')).toContain('404');
    const schemes = (scene.openapi.document.components as Json).securitySchemes as Json;
    expect(Object.values(schemes)).toContainEqual(
      expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    );
  });

  test('GET /v1/openapi.json has schemas that compile, and no reference that leads nowhere', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(scene.openapi.document, 'openapi');
    const { schemas } = scene.openapi.document.components as { schemas: Json };
    for (const name of Object.keys(schemas)) {
      expect(() => ajv.compile({ $ref: `openapi#/components/schemas/${name}` })).not.toThrow();
    }
    const references = JSON.stringify(scene.openapi.document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer = ''] of references) {
      const found = pointer
        .split('/')
        .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], scene.openapi.document);
      expect([pointer, found]).toEqual([pointer, expect.anything()]);
    }
  });

  test('GET /v1/openapi.json describes the request as strictly as it is judged', () => {
    const body = operation('/v1/generate', 'post').requestBody as {
      content: Record<string, { schema: { $ref?: string } }>;
    };
    const { schema } = body.content['application/json'] ?? { schema: {} };
    const name = schema.$ref?.split('/').at(-1) ?? '';
    const described =
      ((scene.openapi.document.components as Json).schemas as Record<string, Json>)[name] ?? (schema as Json);
    expect(described.required).toEqual(expect.arrayContaining(['model', 'prompt']));
    expect(described.properties).toMatchObject({
      prompt: { minLength: 1, maxLength: 2000 },
      negative_prompt: { maxLength: 1000 },
      num_outputs: { minimum: 1, maximum: 4 },
      image_urls: { minItems: 1, maxItems: 9 },
      webhook_url: { maxLength: 2048 },
      duration: { minimum: 1, maximum: 60 },
    });
  });
});

describe('GET /docs', () => {
  test('GET /docs works offline: every script, style and image comes from the gateway itself', async () => {
    const { status, type, text } = await page('/docs');
    expect([status, type]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    const sources = [...text.matchAll(/(?:src|href)=["']([^"'#]+)["']/g)].map(([, source = '']) => source);
    expect(sources.length).toBeGreaterThan(1);
    const base = (await fetch(`${scene.product.url}/docs`)).url;
    for (const source of sources.filter((one) => !one.startsWith('data:'))) {
      const target = new URL(source, base);
      expect(target.origin).toBe(scene.product.url);
      expect((await fetch(target)).status).toBe(200);
    }
    expect(text).not.toMatch(/(?:src|href|url)\s*[=(:]\s*["']?https?:\/\/(?!127\.0\.0\.1|localhost)/);
  });
});
