import { getVersion } from '@image-gateway/shared/config';
import type { GenerateRequest } from '@image-gateway/shared/contract';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { ObjectSchema } from 'joi';
import { type Examples, examples as examplesFor } from './examples.js';
import { facadePaths, facadeSchemas } from './facade-paths.js';
import type { JsonSchema } from './json-schema.js';
import { apiPaths } from './paths.js';
import { publicPaths } from './public-paths.js';
import { errorResponses, headers } from './responses.js';
import { responseSchemas } from './schemas.js';
import { describeApi, tags, withTags } from './tags.js';
import { describeRequest, toJsonSchema } from './to-json-schema.js';

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
          'Answer with 2xx within 15 s. Anything else is tried again with growing pauses for about three days; 410 ends the tries; redirects are not followed. The same event can arrive more than once: `webhook-id` tells.',
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
  /** OPENAI_FACADE. */
  readonly hasFacade: boolean;
}

/** Assembles the OpenAPI 3.1 document of the API. */
export function buildDocument(options: DocumentOptions): JsonSchema {
  const examples = examplesFor(options.fileUrl);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image Generation Gateway',
      version: getVersion(),
      description: describeApi(options.baseUrl),
      contact: { name: 'The operator of this gateway', url: options.baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl }],
    security: [{ apiKey: [] }],
    tags: tags(options.baseUrl).filter(({ name }) => options.hasFacade || name !== 'Facade'),
    paths: withTags({
      ...apiPaths(options.queries, examples),
      ...(options.hasFacade && facadePaths()),
      ...publicPaths(),
    }),
    webhooks: webhooks(examples),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer gw_live_…`.',
        },
      },
      schemas: {
        GenerateRequest: describeRequest(toJsonSchema(options.schema)),
        ...responseSchemas,
        ...(options.hasFacade && facadeSchemas),
      },
      responses: errorResponses(),
      headers,
    },
  };
}
