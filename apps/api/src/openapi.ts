import { getVersion } from '@image-gateway/shared/config';
import type { GenerateRequest } from '@image-gateway/shared/contract';
import type { JsonSchema } from '@image-gateway/shared/schema';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { ObjectSchema } from 'joi';
import type { ApiRoute, Operation } from './http/define-route.js';
import { type Examples, examples as examplesFor } from './http/openapi/examples.js';
import { listSchemas } from './http/openapi/list-schemas.js';
import { getParameters } from './http/openapi/parameters.js';
import { describeAnswer, errorResponses, headers, listErrors } from './http/openapi/responses.js';
import { describeApi, getTag, tags } from './http/openapi/tags.js';
import { describeRequest, toJsonSchema } from './http/openapi/to-json-schema.js';
import { facadeSchemas, listFacadeErrors } from './openai/schemas.js';

/** Errors that every route with a key may answer. */
const ALWAYS = [400, 401, 403, 404, 429, 500, 503];
const isFacadePath = (path: string): boolean => path.startsWith('/openai/');

const text = { type: 'string' };
const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: text,
});

/** Requests that the gateway sends: Standard Webhooks (https://www.standardwebhooks.com). */
function webhooks(examples: Examples): Readonly<Record<string, JsonSchema>> {
  return {
    taskFinished: {
      post: {
        operationId: 'taskFinished',
        summary: 'A task with a webhook_url has completed or failed',
        description:
          'Answer with 2xx within 15 s. Anything else is tried again with growing pauses for about three days; 410 ends the ' +
          'tries; redirects are not followed. The same event can arrive more than once: `webhook-id` tells.',
        security: [],
        parameters: [
          header('webhook-id', 'The same for every delivery of this event, `msg_…`.'),
          header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
          header(
            'webhook-signature',
            'Space-separated `v1,<base64>`: HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, one for each active secret.',
          ),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/WebhookEvent' },
              examples: { completed: { value: examples.event } },
            },
          },
        },
        responses: { '2XX': { description: 'Received.' } },
      },
    },
  };
}

/** Parts of the document, among them the schemas that validate requests. */
export interface DocumentOptions {
  readonly baseUrl: string;
  readonly fileUrl: string;
  readonly schema: ObjectSchema<GenerateRequest>;
  readonly queries: QuerySchemas;
  readonly routes: readonly ApiRoute[];
}

/** Assembles the OpenAPI 3.1 document of the API from its routes. */
export function buildDocument({ baseUrl, fileUrl, schema, queries, routes }: DocumentOptions): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    if (route.operation) {
      const path = route.operation.documentedPath ?? route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method]: describeOperation(route, route.operation, queries) };
    }
  }
  const hasFacade = Object.keys(paths).some(isFacadePath);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image Generation Gateway',
      version: getVersion(),
      description: describeApi(baseUrl),
      contact: { name: 'The operator of this gateway', url: baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: tags(baseUrl).filter(({ name }) => hasFacade || name !== 'Facade'),
    paths,
    webhooks: webhooks(examplesFor(fileUrl)),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer gw_live_…`.',
        },
      },
      schemas: {
        GenerateRequest: describeRequest(toJsonSchema(schema)),
        ...listSchemas(),
        ...(hasFacade && facadeSchemas),
      },
      responses: errorResponses(),
      headers,
    },
  };
}

function describeOperation(
  { path, access, response }: ApiRoute,
  operation: Operation,
  queries: QuerySchemas,
): JsonSchema {
  const {
    id,
    summary,
    description,
    params = {},
    query,
    requestBody,
    answer,
    responses,
    documentedPath,
  } = operation;
  const names = [...(documentedPath ?? path).matchAll(/[:{](\w+)/g)].map(([, name = '']) => name);
  const parameters = [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      ...(params[name] ?? { schema: { type: 'string' } }),
    })),
    ...(query ? getParameters(queries[query]) : []),
    ...(operation.headers ?? []),
  ];
  const { status = 200, ...said } = answer ?? { description: '' };
  const errors = isFacadePath(path) ? listFacadeErrors : listErrors;
  return {
    tags: [getTag(path)],
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(access === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      ...(answer && { [status]: describeAnswer(said, response?.json, access) }),
      ...responses,
      ...errors(...(operation.errors ?? ALWAYS)),
    },
  };
}
