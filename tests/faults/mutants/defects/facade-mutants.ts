import type { Mutant } from '../mutant.js';

const insertTasks = 'packages/shared/src/domain/billing/insert-tasks.sql';
const claimAnswer = 'apps/api/src/openai/answers/claim-answer.ts';
const takeOver = 'apps/api/src/openai/requests/take-over-request.ts';
const asyncClients = 'apps/api/test/facade/async-clients.test.ts';
const masks = 'apps/api/test/facade/masks.test.ts';
const undelivered = 'apps/api/test/facade/undelivered.test.ts';
const joining = 'apps/api/test/facade/joining.test.ts';

/** Defects of the facade: errors, answers that nobody received, and what waits in memory. */
export const facadeMutants: readonly Mutant[] = [
  {
    name: 'refused-upload-kept',
    defect: 'uploads of a request that is refused after they were stored stay, and count for the account',
    edits: [
      {
        file: 'apps/api/src/file/uploads/store-inputs.ts',
        find: '    if (!isSubmitting || !LOST.has(toAppError(error).code)) {',
        replace: '    if (!isSubmitting) {',
      },
    ],
    hunters: ['apps/api/test/facade/refused-uploads.test.ts'],
  },
  {
    name: 'refused-body-unread',
    defect: 'the rest of a body that is refused stays unread on its connection',
    edits: [
      {
        file: 'apps/api/src/http/framework/send-reply.ts',
        find: 'isBodyMissing(response.req)',
        replace: "response.req.method === ''",
      },
    ],
    hunters: ['apps/api/test/bodies.test.ts'],
  },
  {
    name: 'async-list-missing',
    defect: 'a completed task of the asynchronous dialect has no list where some clients look for it',
    edits: [
      {
        file: 'apps/api/src/openai/answers/present-async-task.ts',
        find: 'image_url: data[0]?.url, result, data },',
        replace: 'image_url: data[0]?.url, result },',
      },
    ],
    hunters: [asyncClients],
  },
  {
    name: 'repeated-list-doubled',
    defect: 'images that a client names in two fields are given to the model twice',
    edits: [
      {
        file: 'apps/api/src/openai/request/list-images.ts',
        find: '    if (seen.has(urls)) {',
        replace: '    if (seen.size < 0) {',
      },
    ],
    hunters: [asyncClients],
  },
  {
    name: 'rate-limit-for-money',
    defect: 'the facade answers missing money with 429, which SDKs repeat',
    edits: [
      {
        file: 'apps/api/src/openai/errors/create-error-reply.ts',
        find: "    status: code === 'UPSTREAM_ERROR' ? HTTP_STATUS_BY_CODE.BAD_REQUEST : HTTP_STATUS_BY_CODE[code],",
        replace:
          "    status: code === 'UPSTREAM_ERROR' ? 400 : code === 'INSUFFICIENT_BALANCE' ? 429 : HTTP_STATUS_BY_CODE[code],",
      },
    ],
    hunters: ['apps/api/test/facade/generations.test.ts'],
  },
  {
    name: 'delivered-taken-over',
    defect: 'an answer that was delivered is taken over by any equal request',
    edits: [
      {
        file: takeOver,
        find: "OR f.state = 'delivered' AND $6::int > 0 AND",
        replace: "OR f.state = 'delivered' AND $6::int >= 0 AND",
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'taken-over-while-waiting',
    defect: 'a task is taken over while its request still waits in a process that lives',
    edits: [
      {
        file: takeOver,
        find: 'f.process_id <> $5 AND ${SEEN_AT} <= ${ago(LEASE_MS)}`',
        replace: 'f.process_id <> $5 AND ${SEEN_AT} IS NOT NULL`',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'taken-over-across-keys',
    defect: 'a request takes over answers of other keys',
    edits: [
      {
        file: takeOver,
        find: "'f.account_id = $1 AND f.api_key_id = $2 AND",
        replace: "'COALESCE($1, $2) IS NOT NULL AND",
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'waiting-request-lost',
    defect: 'a task of the facade is inserted without the row of its request',
    edits: [
      {
        file: insertTasks,
        find: 'WHERE waiter IS NOT NULL\n',
        replace: "WHERE waiter = ''\n",
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'repetition-buys-again',
    defect: 'a request that takes an answer over buys another task and is charged for both',
    edits: [
      {
        file: claimAnswer,
        find: 'mayShare ? await takeOver() : null',
        replace: 'mayShare && retryCount > 99 ? await takeOver() : null',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'end-recorded-too-late',
    defect: 'a client that repeats after the end of a wait is answered before that end is recorded',
    edits: [
      {
        file: claimAnswer,
        find: '      await register.settled(equals);\n',
        replace: '',
      },
      {
        file: claimAnswer,
        find: 'withTimeout(MAX_FINISH_MS, closed)',
        replace: 'withTimeout(0, closed)',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'client-that-left-still-waits',
    defect: 'an answer counts as awaited while images are read for a client that has left',
    edits: [
      {
        file: claimAnswer,
        find: '      onAbort(order.closed, () => setImmediate(() => void finish(false)));\n',
        replace: '',
      },
    ],
    hunters: [undelivered],
    // Without a title its other tests wait for minutes.
    red: 'equal requests of one whose client has left get its task at once, in any process, whatever is still done for it',
  },
  {
    name: 'leaving-not-awaited',
    defect: 'an equal request does not wait for the end of one whose client left while it was accepted',
    edits: [
      {
        file: claimAnswer,
        find: '(recorded) => void register.awaitEnd(equals, recorded)',
        replace: '() => undefined',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'repetition-does-not-settle',
    defect:
      'a repetition buys a second task while another process still accepts its first attempt, or has not seen its client leave',
    edits: [
      {
        file: 'apps/api/src/openai/undelivered/take-over-answer.ts',
        find: 'const SETTLING_MS = 1_000;',
        replace: 'const SETTLING_MS = 0;',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'repetition-does-not-join',
    defect: 'a repetition buys a second task while a proxy keeps the connection of its earlier attempt open',
    edits: [
      {
        file: 'apps/api/src/openai/undelivered/take-over-answer.ts',
        find: 'search.joinEqual || (search.retryCount > 0 && !isSettling)',
        replace: 'search.joinEqual',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'bought-by-repetition-joined',
    defect:
      'a repetition joins the task that the repetition of another client has bought, and its own is drawn for nobody',
    edits: [
      {
        file: insertTasks,
        find: 'process,\n         retries,\n         sole\n',
        replace: 'process,\n         0,\n         sole\n',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'equal-request-does-not-join',
    defect: 'an equal request of a key that shares tasks buys another one while the first is under way',
    edits: [
      { file: takeOver, find: '(f.retry_count < $6::int OR $9::bool)', replace: 'f.retry_count < $6::int' },
    ],
    hunters: [joining],
  },
  {
    name: 'equal-requests-at-once',
    defect: 'equal requests of a key that shares tasks buy one each when they come at the same moment',
    edits: [
      {
        file: insertTasks,
        find: 'process,\n         retries,\n         sole\n',
        replace: 'process,\n         retries,\n         false\n',
      },
    ],
    hunters: [joining],
  },
  {
    name: 'joined-answer-ends-early',
    defect:
      'an answer that a repetition waits for counts as delivered once the connection that its client left took it',
    edits: [
      {
        file: 'apps/api/src/openai/requests/end-request.ts',
        find: ' AND (f.takeovers = 0 OR f.request_id = i.request)',
        replace: '',
      },
    ],
    hunters: [undelivered],
  },
  {
    name: 'uploads-announced-in-memory',
    defect: 'uploads that come slowly keep others waiting for room',
    edits: [
      {
        file: 'apps/api/src/compose-uploads.ts',
        find: 'UPLOAD_BYTES = 1024 * 1024 * 1024',
        replace: 'UPLOAD_BYTES = 64 * 1024 * 1024',
      },
    ],
    hunters: ['apps/api/test/facade/slow-uploads.test.ts'],
  },
  {
    name: 'waits-without-hold',
    defect: 'a thousand requests may wait for one task, whose price is held once',
    edits: [
      {
        file: 'apps/api/src/task/waiting/create-task-waits.ts',
        find: 'maxWithoutHold: 100',
        replace: 'maxWithoutHold: 1_000',
      },
    ],
    hunters: ['apps/api/test/waiting.test.ts'],
  },
  {
    name: 'answers-without-turns',
    defect: 'readers of one account take all places for writing answers',
    edits: [
      {
        file: 'apps/api/src/compose-facade.ts',
        find: 'createSemaphore({ permits: ANSWER_PLACES, leavesRoom: 1 })',
        replace: 'createSemaphore({ permits: ANSWER_PLACES })',
      },
    ],
    hunters: ['apps/api/test/facade/slow-readers.test.ts'],
  },
  {
    name: 'outrun-not-repeated',
    defect: 'a repetition that others outran buys another task, although answers were abandoned meanwhile',
    edits: [{ file: takeOver, find: 'if (!row?.outrun) {', replace: 'if (!row?.outrun || true) {' }],
    hunters: [undelivered],
  },
  {
    name: 'mask-no-fingerprint',
    defect: 'an idempotency key answers an edit whose mask is another one',
    edits: [
      {
        file: 'apps/api/src/openai/answers/answer-images.ts',
        find: 'mask: order.mask?.digest,',
        replace: 'mask: order.mask && undefined,',
      },
    ],
    hunters: [masks],
  },
  {
    name: 'mask-of-any-size',
    defect: 'a mask of another size than its image is accepted',
    edits: [
      {
        file: 'apps/api/src/file/uploads/check-mask.ts',
        find: 'if (!isEqual && !isUpright) {',
        replace: 'if (!isEqual && isUpright) {',
      },
    ],
    hunters: [masks],
  },
  {
    name: 'shape-left-to-the-worker',
    defect: 'an edit of an upload gets the shape of its image only when a worker has loaded it',
    edits: [
      {
        file: 'apps/api/src/file/uploads/find-image-size.ts',
        find: 'return readUploadHead(image.upload.body);',
        replace: 'return image.upload.body === undefined ? readUploadHead(image.upload.body) : null;',
      },
    ],
    hunters: ['apps/api/test/facade/request-fields.test.ts'],
  },
  {
    name: 'earlier-worker-gets-a-new-kind',
    defect: 'a task is accepted of a kind that a worker of an earlier build does not know',
    edits: [
      {
        file: 'packages/shared/src/domain/task/requirements.ts',
        find: '    types.includes(type) &&\n',
        replace: '    type !== null &&\n',
      },
    ],
    hunters: ['apps/api/test/request-fields.test.ts'],
  },
  {
    name: 'earlier-worker-drops-a-field',
    defect: 'a request is accepted that a worker of an earlier build draws without one of its fields',
    edits: [
      {
        file: 'packages/shared/src/domain/task/requirements.ts',
        find: 'isCapable(fields, toCamelCase(name), value)',
        replace: 'fields !== null',
      },
    ],
    hunters: ['apps/api/test/request-fields.test.ts'],
  },
];
