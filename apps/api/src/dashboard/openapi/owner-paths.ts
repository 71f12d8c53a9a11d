import type { QuerySchemas } from '@image-gateway/shared/validation';
import { count, listSchema, object, pageSchema, ref, time } from '../../openapi/parts.js';
import { errors } from '../../openapi/responses.js';
import { createKeyBody } from '../keys/create-key.js';
import { rotateKeyBody } from '../keys/rotate-key.js';
import { changePasswordBody } from '../session/change-password.js';
import { credentialsSchema } from '../session/credentials-schema.js';
import { usageSpanQuery } from '../usage/read-usage-span.js';
import { deliveriesQuery } from '../webhooks/list-deliveries.js';
import { testWebhookBody } from '../webhooks/test-webhook.js';
import { get, nothing, type Operation, post, queryParameters } from './operations.js';

const itself: Operation = [
  '/openapi.json',
  'get',
  {
    summary: 'This document',
    security: [],
    responses: {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
      ...errors(429, 500, 503),
    },
  },
];

const csv: Operation = [
  '/usage.csv',
  'get',
  {
    summary: 'A line for each charge and each refund of a span',
    parameters: queryParameters(usageSpanQuery),
    responses: {
      200: { description: 'The lines.', content: { 'text/csv': { schema: { type: 'string' } } } },
      ...errors(400, 401, 403, 429, 500, 503),
    },
  },
];

/** The routes of everybody and those of owners. */
export function ownerPaths(queries: QuerySchemas): readonly Operation[] {
  return [
    itself,
    get('/session', 'Who is logged in', ref('DashboardSession')),
    post('/sign-in', 'Log in', nothing, credentialsSchema),
    post(
      '/sign-up',
      'Make an account, unless the address has one; the answer is the same',
      nothing,
      credentialsSchema,
    ),
    post('/sign-out', 'Log out', nothing),
    post('/password', 'Change the password', nothing, changePasswordBody),
    get('/sessions', 'Where the viewer is logged in', listSchema(ref('SessionItem'))),
    post('/sessions/end-others', 'Log out everywhere else', object({ ended: count })),
    get('/overview', 'The account at a glance', ref('OverviewView')),
    get('/keys', 'API keys, newest first', listSchema(ref('KeyItem'))),
    post('/keys', 'Make an API key', ref('NewKeyView'), createKeyBody),
    post('/keys/{id}/revoke', 'Revoke an API key', object({ revoked_at: time })),
    post('/keys/{id}/rotate', 'Replace an API key', ref('NewKeyView'), rotateKeyBody),
    get('/playground', 'What can be asked for', ref('PlaygroundView')),
    post('/generate', 'Submit a generation or an edit', ref('Task'), ref('GenerateRequest'), 202),
    get('/tasks', 'Tasks, newest first', pageSchema('TaskItem'), queries.tasks),
    get('/tasks/{id}', 'One task', ref('TaskDetail')),
    get('/usage', 'Usage by day and model', ref('UsageView'), usageSpanQuery),
    csv,
    get('/webhooks', 'Deliveries, newest first', pageSchema('DeliveryItem'), deliveriesQuery),
    get('/webhooks/secret', 'What signs webhooks', ref('WebhookSecretView')),
    post('/webhooks/secret/rotate', 'Replace the secret', ref('WebhookSecretView')),
    post('/webhooks/test', 'Send a test event', ref('WebhookTestView'), testWebhookBody),
    post('/webhooks/{id}/resend', 'Send a delivery again', nothing),
  ];
}
