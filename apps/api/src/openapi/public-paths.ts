import type { JsonSchema } from './json-schema.js';
import { envelope, errors } from './responses.js';

const status = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
const json = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  content: { 'application/json': { schema } },
});

/** The operations that need no key. */
export function publicPaths(): Readonly<Record<string, JsonSchema>> {
  return {
    '/': {
      get: {
        operationId: 'getIndex',
        summary: 'What is this?',
        security: [],
        responses: {
          200: json(
            'A line about the service, and where its documentation is.',
            envelope({
              type: 'object',
              required: ['about', 'docs'],
              properties: { about: { type: 'string' }, docs: { type: 'string', format: 'uri' } },
            }),
          ),
          ...errors(400, 500, 503),
        },
      },
    },
    '/v1/openapi.json': {
      get: {
        operationId: 'getDocument',
        summary: 'This document',
        security: [],
        responses: { 200: json('OpenAPI 3.1.', { type: 'object' }), ...errors(400, 429, 500, 503) },
      },
    },
    '/files/images/{task_id}/{name}': {
      get: {
        operationId: 'getImage',
        summary: 'Fetch an image of a completed task',
        description: 'The URLs stand in `output.urls`; ranges and `If-None-Match` are understood.',
        security: [],
        parameters: [
          { name: 'task_id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'name', in: 'path', required: true, schema: { type: 'string', examples: ['0.png'] } },
          { name: 'Range', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          200: { description: 'The image.', content: { 'image/*': {} } },
          206: { description: 'A part of the image.', content: { 'image/*': {} } },
          304: { description: 'Not changed; images never change.' },
          ...errors(400, 404, 416, 500, 503),
        },
      },
    },
    '/healthz': {
      get: {
        operationId: 'getHealth',
        summary: 'Is the process alive?',
        security: [],
        responses: {
          200: json('It is.', envelope({ type: 'object', properties: { status: status(['ok']) } })),
          ...errors(500, 503),
        },
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        summary: 'Can the process take requests?',
        security: [],
        responses: {
          200: json(
            'PostgreSQL answers and the process is not stopping.',
            envelope({
              type: 'object',
              properties: {
                status: status(['ready']),
                postgres: status(['ok']),
                redis: status(['ok', 'degraded']),
                storage: status(['ok', 'degraded']),
                reasons: {
                  type: 'object',
                  additionalProperties: { type: 'string' },
                  description:
                    'What an operator has to change, by dependency. Absent where waiting suffices.',
                },
              },
            }),
          ),
          ...errors(500, 503),
        },
      },
    },
  };
}
