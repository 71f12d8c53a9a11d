import type { Schema } from 'joi';
import type { JsonSchema } from '../../openapi/json-schema.js';
import { object } from '../../openapi/parts.js';
import { envelope, errors } from '../../openapi/responses.js';
import { toJsonSchema } from '../../openapi/to-json-schema.js';

/** One route in the document: its path and what it does there. */
export type Operation = readonly [path: string, method: 'get' | 'post', operation: JsonSchema];

/** What is asked beside the path, as the very schema that validates it. */
interface Asked {
  readonly query?: Schema;
  readonly body?: JsonSchema;
  readonly status?: 200 | 202;
}

const ERRORS = [400, 401, 403, 404, 429, 500, 503];

/** Describes a route that answers with `data` in the envelope. */
function describe(path: string, summary: string, data: JsonSchema, asked: Asked): JsonSchema {
  const { query, body, status = 200 } = asked;
  const parameters = [...pathParameters(path), ...(query ? queryParameters(query) : [])];
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [status]: { description: 'Done.', content: { 'application/json': { schema: envelope(data) } } },
      ...errors(...ERRORS),
    },
  };
}

/** A route that shows something. */
export function get(path: string, summary: string, data: JsonSchema, query?: Schema): Operation {
  return [path, 'get', describe(path, summary, data, query ? { query } : {})];
}

/** A route that changes something; without a schema of a body it takes none. */
export function post(
  path: string,
  summary: string,
  data: JsonSchema,
  body?: Schema | JsonSchema,
  status: 200 | 202 = 200,
): Operation {
  if (!body) return [path, 'post', describe(path, summary, data, { status })];
  const schema = 'describe' in body ? toJsonSchema(body as Schema) : body;
  return [path, 'post', describe(path, summary, data, { body: schema, status })];
}

/** The answer of a route that has nothing to say. */
export const nothing: JsonSchema = object({});

function pathParameters(path: string): readonly JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

/** The fields of a query, none of which must be there. */
export function queryParameters(query: Schema): readonly JsonSchema[] {
  return Object.entries(toJsonSchema(query).properties).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }));
}
