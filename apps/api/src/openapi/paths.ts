import type { QuerySchemas } from '@image-gateway/shared/validation';
import { accountPaths } from './account-paths.js';
import type { Examples } from './examples.js';
import { filePaths } from './file-paths.js';
import type { JsonSchema } from './json-schema.js';
import { getParameters, idempotencyKey, slowReads } from './parameters.js';
import { pageSchema, ref } from './parts.js';
import { errors, eventStream, success } from './responses.js';
import { usagePaths } from './usage-paths.js';

const ALWAYS = [400, 401, 403, 404, 429, 500, 503];

/** The operations of the customers' API. */
export function apiPaths(queries: QuerySchemas, examples: Examples): Readonly<Record<string, JsonSchema>> {
  const { pending, completed, failed } = examples;
  const events = [pending, completed]
    .map((task) => `event: status\nid: ${task.status}\ndata: ${JSON.stringify(task)}\n\n`)
    .join('');
  return {
    '/v1/generate': {
      post: {
        operationId: 'generate',
        summary: 'Submit a generation or an edit',
        description:
          'Answers at once with a pending task; read it with `GET /v1/tasks/{id}` or receive a webhook. The price of all images asked for is held until the task ends, then only delivered images are charged. `429` is for too many requests, too many open tasks or webhooks, and too many tasks that failed because of their requests (moderation, refused input, unusable `image_urls`); the message says which.',
        parameters: [idempotencyKey, prefer],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: ref('GenerateRequest'),
              examples: { generate: { value: examples.generate }, edit: { value: examples.edit } },
            },
          },
        },
        responses: {
          202: success('The task was accepted.', ref('Task'), { pending }, acceptedHeaders),
          ...errors(...ALWAYS, 502),
        },
      },
    },
    '/v1/tasks/{id}': {
      get: {
        operationId: 'getTask',
        summary: 'Read a task',
        description:
          'A failed task is a successful lookup: `data.status` is `failed`, `data.error` says why. Send the `ETag` of the last answer as `If-None-Match` to get `304` while nothing has changed. With `wait` the answer comes when the task ends, at the latest after that many seconds; at most 1,000 requests and event streams of an account wait at a time, 100 of them for tasks for which another one waits already; further ones are answered at once.',
        parameters: [
          taskId,
          ...getParameters(queries.task),
          { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
        ],
        responses: {
          200: success(
            'The task.',
            { anyOf: [ref('FullTask'), ref('Task')] },
            { pending, completed, failed, full: examples.full },
            taskHeaders,
          ),
          304: { description: 'The task is as the named `ETag` says.', headers: taskHeaders },
          ...errors(...ALWAYS),
        },
      },
      delete: {
        operationId: 'deleteTask',
        summary: 'Delete a finished task',
        description:
          'Its prompt, input URLs and images are erased for good; the task is `404` and in no list, in all processes within 5 s. What it cost stays in usage and in the balance, and a webhook that is still due is sent. A pending task is refused with `400`: cancel it first. A repeated submit with its `Idempotency-Key` still names the deleted task for 24 hours. Needs the scope `delete`.',
        parameters: [taskId],
        responses: {
          204: { description: 'The task is deleted.' },
          ...errors(...ALWAYS),
        },
      },
    },
    '/v1/tasks/{id}/events': {
      get: {
        operationId: 'streamTaskEvents',
        summary: 'Follow a task',
        description:
          'Server-sent events of the type `status`: the task as it is now, and once more at its end, then the stream is closed. `data` is the Task without an envelope, `id` its status. A comment comes every 10 s. A stream that ends without a finished task was cut: open it again.',
        parameters: [taskId],
        responses: {
          200: eventStream(events),
          ...errors(...ALWAYS),
        },
      },
    },
    '/v1/tasks/{id}/cancel': {
      post: {
        operationId: 'cancelTask',
        summary: 'Cancel a task',
        description:
          'No provider is called any more. Without a call under way the task ends at once: failed at $0.00, or completed with the images that are stored. Otherwise it stays pending until its calls have ended, and what they deliver is stored and charged. So does a task whose worker died, until the next attempt has stored what it left. A task that has ended stays as it is. Canceled tasks count for the limit of tasks that failed because of their requests.',
        parameters: [taskId],
        responses: {
          200: success('The task as it now is.', ref('Task'), { failed, pending, completed }),
          ...errors(...ALWAYS),
        },
      },
    },
    '/v1/tasks': {
      get: {
        operationId: 'listTasks',
        summary: 'List tasks, newest first',
        description: slowReads('created_after and created_before'),
        parameters: getParameters(queries.tasks),
        responses: {
          200: success('A page of tasks.', pageSchema('Task'), { tasks: examples.tasks }),
          ...errors(...ALWAYS),
        },
      },
    },
    ...filePaths(examples),
    ...accountPaths(examples),
    ...usagePaths(queries, examples),
  };
}

const taskId = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const prefer = {
  name: 'Prefer',
  in: 'header',
  description:
    '`wait=N` (RFC 7240, 1 to 55): the answer comes when the task ends, at the latest after N seconds, with the task as it then is. The status stays `202`. Other preferences are ignored.',
  schema: { type: 'string', examples: ['wait=30'] },
};

const taskHeaders = {
  ETag: { description: 'Changes whenever the task does.', schema: { type: 'string' } },
};

const acceptedHeaders = {
  'x-gateway-ignored': {
    description:
      'Fields of the body that other APIs know and that have no effect here, such as `n, size`. Absent where there are none.',
    schema: { type: 'string' },
  },
  'Preference-Applied': {
    description: 'The preference of `Prefer` that was followed, such as `wait=30`. Absent without one.',
    schema: { type: 'string' },
  },
  Location: { description: 'Path of the task.', schema: { type: 'string' } },
  'Retry-After': { $ref: '#/components/headers/Retry-After' },
  'Idempotent-Replayed': {
    description: '`true` when the task was made by an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
};
