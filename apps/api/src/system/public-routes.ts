import { choice, describe, loosely, object, optional, record, text } from '@image-gateway/shared/schema';
import { type ApiRoute, defineApiRoute } from '../http/define-route.js';
import type { Handler } from '../http/framework/call.js';
import { getDocs, getDocsAsset, redirectToDocs } from './get-docs.js';
import { getIndex } from './get-index.js';
import { healthz, type Readiness, readyz } from './health.js';

const health = loosely(object({ status: choice(['ok']) }));
const readiness = loosely(
  object({
    status: choice(['ready']),
    postgres: choice(['ok']),
    redis: choice(['ok', 'degraded']),
    storage: choice(['ok', 'degraded']),
    reasons: optional(
      describe(
        record(text()),
        'What an operator has to change, by dependency. Absent where waiting suffices.',
      ),
    ),
  }),
);
const open = { door: 'service', method: 'get', access: 'open' } as const;

/** Route of the first page. */
export const indexRoute = (deps: { readonly baseUrl: string }): ApiRoute =>
  defineApiRoute({
    ...open,
    path: '/',
    id: 'getIndex',
    summary: 'What is this?',
    response: object({ about: text(), docs: text({ format: 'uri' }) }),
    answer: { description: 'A line about the service, and where its documentation is.' },
    errors: [400, 500, 503],
    run: getIndex(deps),
  });

/** Route of the OpenAPI document, which is read without an envelope. */
export const documentRoute = (run: Handler): ApiRoute =>
  defineApiRoute({
    ...open,
    path: '/v1/openapi.json',
    id: 'getDocument',
    summary: 'This document',
    responses: {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
    },
    errors: [400, 429, 500, 503],
    run,
  });

/** Routes of the pages of the document. */
export const docsRoutes = (): readonly ApiRoute[] => [
  defineApiRoute({ ...open, path: '/docs', run: getDocs() }),
  defineApiRoute({ ...open, path: '/docs/', run: redirectToDocs() }),
  defineApiRoute({ ...open, path: '/docs/:asset', run: getDocsAsset() }),
];

/** Routes with which a process is watched. */
export const healthRoutes = (deps: { readonly readiness: Readiness }): readonly ApiRoute[] => [
  defineApiRoute({
    ...open,
    path: '/healthz',
    id: 'getHealth',
    summary: 'Is the process alive?',
    response: health,
    answer: { description: 'It is.' },
    errors: [500, 503],
    run: healthz(),
  }),
  defineApiRoute({
    ...open,
    path: '/readyz',
    id: 'getReadiness',
    summary: 'Can the process take requests?',
    response: readiness,
    answer: { description: 'PostgreSQL answers and the process is not stopping.' },
    errors: [500, 503],
    run: readyz(deps.readiness),
  }),
];
