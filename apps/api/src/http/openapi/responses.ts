import { type ErrorCode, HTTP_STATUS_BY_CODE } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { JsonSchema } from '@image-gateway/shared/schema';
import type { Operation } from '../define-route.js';

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Headers of responses. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'The id of the request; name it when you ask for help.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Policy': {
    description:
      'The limits: `"key";q=600;w=60, "ip";q=1200;w=60` means 600 requests in 60 s for the key. `account` counts all keys of an ' +
      'account, `auth` failed authentications of the address, `files` what it fetches without a key.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left: `"key";r=599;t=1` means 599 requests, and the full quota in 1 s.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'When to come back, in whole seconds.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const limitHeaders = {
  'X-Request-Id': header('X-Request-Id'),
  'RateLimit-Policy': header('RateLimit-Policy'),
  RateLimit: header('RateLimit'),
};

/** Describes a successful response; without a schema it has no body, and without a key no limits. */
export function describeAnswer(
  { description, examples, headers: more, content }: Omit<NonNullable<Operation['answer']>, 'status'>,
  schema: JsonSchema | undefined,
  access: 'key' | 'open',
): JsonSchema {
  if (schema === undefined) {
    return { description };
  }
  const named = Object.entries(examples ?? {}).map(([name, value]) => [
    name,
    { value: { data: value, error: null } },
  ]);
  return {
    description,
    ...(examples && access === 'key' && { headers: { ...limitHeaders, ...more } }),
    content: {
      'application/json': { schema, ...(examples && { examples: Object.fromEntries(named) as unknown }) },
      ...content,
    },
  };
}

/** Returns the response of a stream of server-sent events. */
export function eventStream(example: string): JsonSchema {
  return {
    description: 'Server-sent events.',
    headers: limitHeaders,
    content: {
      // Without a schema: readers disagree whether it would describe the stream or each of its events.
      'text/event-stream': { examples: { events: { value: example } } },
    },
  };
}

const CODES = Object.keys(HTTP_STATUS_BY_CODE) as ErrorCode[];

/** Returns one error response for each status of the error table. */
export function errorResponses(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    CODES.map((code) => [
      getResponseName(HTTP_STATUS_BY_CODE[code]),
      errorResponse(HTTP_STATUS_BY_CODE[code]),
    ]),
  );
}

/** Returns references to the error responses with these statuses. */
export function listErrors(...statuses: readonly number[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${getResponseName(status)}` }]),
  );
}

const getResponseName = (status: number): string => `Error${status}`;

/** Clients of the error table ask for it. */
const NEVER_SENT =
  ': part of the error table, and not sent today. Submission is asynchronous: an upstream failure ends in a `failed` task.';

function errorResponse(status: number): JsonSchema {
  const codes = CODES.filter((code) => HTTP_STATUS_BY_CODE[code] === status);
  const examples = codes.map((code) => [
    code,
    { value: { data: null, error: { code, message: new AppError(code).publicMessage } } },
  ]);
  return {
    description: codes.map((code) => `\`${code}\``).join(' or ') + (status === 502 ? NEVER_SENT : ''),
    headers: {
      ...limitHeaders,
      ...((status === 429 || status === 503) && { 'Retry-After': header('Retry-After') }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorResponse' },
        examples: Object.fromEntries(examples) as unknown,
      },
    },
  };
}
