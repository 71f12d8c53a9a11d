import type { GenerateRequest } from '@image-gateway/shared/contract';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { ObjectSchema } from 'joi';
import type { JsonSchema } from '../../openapi/json-schema.js';
import { object } from '../../openapi/parts.js';
import { errorResponses, headers } from '../../openapi/responses.js';
import { optionalTaskFields, taskFields } from '../../openapi/schemas.js';
import { toJsonSchema, withNullableOptions } from '../../openapi/to-json-schema.js';
import type { Operation } from './operations.js';
import { operatorPaths } from './operator-paths.js';
import { operatorSchemas } from './operator-schemas.js';
import { ownerPaths } from './owner-paths.js';
import { ownerSchemas } from './owner-schemas.js';
import { wholeTaskSchemas } from './whole-task-schemas.js';

/** The schemas of requests that the dashboard shares with the customers' API. */
export interface DashboardDocumentOptions {
  readonly generate: ObjectSchema<GenerateRequest>;
  readonly queries: QuerySchemas;
}

/** Assembles the OpenAPI 3.1 document of `/dashboard/api`; the types that its handlers and the pages use are generated from it. */
export function buildDashboardDocument({ generate, queries }: DashboardDocumentOptions): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image Generation Gateway: the API of its dashboard',
      version: '1.0.0',
      description:
        'For the pages of this very gateway: it changes with them, and takes sessions, no API keys.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/dashboard/api' }],
    security: [{ session: [] }],
    paths: pathsOf([...ownerPaths(queries), ...operatorPaths()]),
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'image-gateway.session_token',
          description: 'Made by logging in.',
        },
      },
      schemas: {
        ...ownerSchemas,
        ...operatorSchemas,
        ...wholeTaskSchemas,
        Task: object(taskFields, optionalTaskFields),
        GenerateRequest: withNullableOptions(toJsonSchema(generate)),
      },
      responses: errorResponses(),
      headers,
    },
  };
}

function pathsOf(operations: readonly Operation[]): Readonly<Record<string, JsonSchema>> {
  const paths: Record<string, JsonSchema> = {};
  for (const [path, method, operation] of operations) paths[path] = { ...paths[path], [method]: operation };
  return paths;
}
