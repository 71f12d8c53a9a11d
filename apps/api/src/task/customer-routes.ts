import { paged, union } from '@image-gateway/shared/schema';
import { fullTask, quoteView, task } from '@image-gateway/shared/task/schema';
import { type ApiRoute, defineApiRoute } from '../http/define-route.js';
import { examples } from '../http/openapi/examples.js';
import { idempotencyKey, slowReads } from '../http/openapi/parameters.js';
import { eventStream } from '../http/openapi/responses.js';
import { type CancelTaskDeps, cancelTaskHandler } from './cancel-task-handler.js';
import { type DeleteTaskDeps, deleteTaskHandler } from './delete-task-handler.js';
import { type GenerateDeps, generate } from './generate-handler.js';
import { type GetTaskDeps, getTask } from './get-task.js';
import { type ListTasksDeps, listTasksHandler } from './list-tasks-handler.js';
import { quote } from './quote.js';
import { streamTaskEvents } from './stream-task-events.js';

/** Dependencies of the routes of tasks. */
export interface TaskApiDeps
  extends CancelTaskDeps,
    DeleteTaskDeps,
    GenerateDeps,
    GetTaskDeps,
    ListTasksDeps {}

const prefer = {
  name: 'Prefer',
  in: 'header',
  description:
    '`wait=N` (RFC 7240, 1 to 55): the answer comes when the task ends, at the latest after N seconds, with the task as it then ' +
    'is. The status stays `202`. Other preferences are ignored.',
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

const describeBody = (shown: Readonly<Record<string, unknown>>) => ({
  required: true,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/GenerateRequest' },
      examples: Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, { value }])),
    },
  },
});

/** Routes of `/v1` about tasks: submit, read, follow, cancel, delete and list them. */
export function taskApiRoutes(deps: TaskApiDeps): readonly ApiRoute[] {
  const shown = examples(deps.fileUrl);
  const { pending, completed, failed } = shown;
  const events = [pending, completed]
    .map((one) => `event: status\nid: ${one.status}\ndata: ${JSON.stringify(one)}\n\n`)
    .join('');
  return [
    defineApiRoute({
      door: 'v1',
      method: 'post',
      path: '/v1/generate',
      access: 'key',
      roles: ['generate'],
      reads: 'small-json',
      id: 'generate',
      summary: 'Submit a generation or an edit',
      description:
        'Answers at once with a pending task; read it with `GET /v1/tasks/{id}` or receive a webhook. The price of all images ' +
        'asked for is held until the task ends, then only delivered images are charged. `429` is for too many requests, too ' +
        'many open tasks or webhooks, and too many tasks that failed because of their requests (moderation, refused input, ' +
        'unusable `image_urls`); the message says which.',
      headers: [idempotencyKey, prefer],
      requestBody: describeBody({ generate: shown.generate, edit: shown.edit }),
      response: task,
      answer: {
        status: 202,
        description: 'The task was accepted.',
        examples: { pending },
        headers: acceptedHeaders,
      },
      errors: [400, 401, 403, 404, 429, 500, 503, 502],
      run: generate(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/tasks/:id',
      access: 'key',
      roles: ['read', 'generate'],
      id: 'getTask',
      summary: 'Read a task',
      description:
        'A failed task is a successful lookup: `data.status` is `failed`, `data.error` says why. Send the `ETag` of the last ' +
        'answer as `If-None-Match` to get `304` while nothing has changed. With `wait` the answer comes when the task ends, at ' +
        'the latest after that many seconds; at most 1,000 requests and event streams of an account wait at a time, 100 of them ' +
        'for tasks for which another one waits already; further ones are answered at once.',
      query: 'task',
      headers: [{ name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } }],
      // Documented as a task: generators make no client that compiles of two unions that are one.
      response: { ...union(fullTask, task), json: task.json },
      answer: {
        description: 'The task.',
        examples: { pending, completed, failed, full: shown.full },
        headers: taskHeaders,
      },
      responses: { 304: { description: 'The task is as the named `ETag` says.', headers: taskHeaders } },
      run: getTask(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'delete',
      path: '/v1/tasks/:id',
      access: 'key',
      roles: ['delete'],
      id: 'deleteTask',
      summary: 'Delete a finished task',
      description:
        'Its prompt, input URLs and images are erased for good; the task is `404` and in no list, in all processes within 5 s. ' +
        'What it cost stays in usage and in the balance, and a webhook that is still due is sent. A pending task is refused ' +
        'with `400`: cancel it first. A repeated submit with its `Idempotency-Key` still names the deleted task for 24 hours. ' +
        'Needs the scope `delete`.',
      answer: { status: 204, description: 'The task is deleted.' },
      run: deleteTaskHandler(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/tasks/:id/events',
      access: 'key',
      roles: ['read', 'generate'],
      id: 'streamTaskEvents',
      summary: 'Follow a task',
      description:
        'Server-sent events of the type `status`: the task as it is now, and once more at its end, then the stream is closed. ' +
        '`data` is the Task without an envelope, `id` its status. A comment comes every 10 s. A stream that ends without a ' +
        'finished task was cut: open it again.',
      responses: { 200: eventStream(events) },
      run: streamTaskEvents(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'post',
      path: '/v1/tasks/:id/cancel',
      access: 'key',
      roles: ['generate', 'delete'],
      id: 'cancelTask',
      summary: 'Cancel a task',
      description:
        'No provider is called any more. Without a call under way the task ends at once: failed at $0.00, or completed with the ' +
        'images that are stored. Otherwise it stays pending until its calls have ended, and what they deliver is stored and ' +
        'charged. So does a task whose worker died, until the next attempt has stored what it left. A task that has ended stays ' +
        'as it is. Canceled tasks count for the limit of tasks that failed because of their requests.',
      response: task,
      answer: { description: 'The task as it now is.', examples: { failed, pending, completed } },
      run: cancelTaskHandler(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/tasks',
      access: 'key',
      roles: ['read'],
      id: 'listTasks',
      summary: 'List tasks, newest first',
      description: slowReads('created_after and created_before'),
      query: 'tasks',
      response: paged(task),
      answer: { description: 'A page of tasks.', examples: { tasks: shown.tasks } },
      run: listTasksHandler(deps),
    }),
  ];
}

/** Route of `/v1` that prices a request. */
export function quoteRoute(deps: GenerateDeps & { readonly fileUrl: string }): ApiRoute {
  const { generate: body, quote: price } = examples(deps.fileUrl);
  return defineApiRoute({
    door: 'v1',
    method: 'post',
    path: '/v1/quote',
    access: 'key',
    roles: ['generate'],
    reads: 'small-json',
    id: 'quote',
    summary: 'Price a request without submitting it',
    description: 'Validates the body as `POST /v1/generate` does, and holds nothing.',
    requestBody: describeBody({ generate: body }),
    response: quoteView,
    answer: { description: 'The price.', examples: { quote: price } },
    run: quote(deps),
  });
}
