import type { Mutant } from '../mutant.js';

const worker = 'apps/generation-worker/src';

/** Defects in the order of steps, in trusted responses and in repeated requests. */
export const workerMutants: readonly Mutant[] = [
  {
    name: 'charged-before-stored',
    defect: 'the row of an image is saved, and so charged, before the image is put',
    edits: [
      {
        file: `${worker}/steps/store.ts`,
        find: '    const other = await persist(put,',
        replace: `    if (slot >= 0) {
      await persist(() => deps.saveOutput(attempt, { key, image, slot }), { signal, log });
      putImage(deps, attempt, { key, image, slot, sha256 }).then(
        () => undefined,
        () => undefined,
      );
      continue;
    }
    const other = await persist(put,`,
      },
    ],
    hunters: ['storage-killed', 'storage-away', 'storage-swallow'],
  },
  {
    name: 'put-believed',
    defect: 'a put counts as done without a look at the object',
    edits: [
      {
        file: `${worker}/steps/store.ts`,
        find: 'if (found === bytes.length) {',
        replace: 'if (found <= bytes.length) {',
      },
    ],
    hunters: ['storage-swallow'],
  },
  {
    name: 'older-report-last',
    defect: 'a report from before the providers were known replaces the one that has them',
    edits: [
      {
        file: `${worker}/create-report.ts`,
        find: 'const { run: runSerially } = createSemaphore({ permits: 1 });',
        replace: 'const runSerially = <T>(save: () => Promise<T>): Promise<T> => save();',
      },
    ],
    hunters: ['apps/generation-worker/test/no-route.test.ts'],
  },
  {
    name: 'stopped-call-frees-its-images',
    defect: 'a call that failed or was stopped frees its images, which something may still read',
    edits: [
      {
        file: `${worker}/calls/run-call.ts`,
        find: 'room?.close(thrown === null);',
        replace: 'room?.close(true);',
      },
    ],
    hunters: ['apps/generation-worker/test/call-memory.test.ts'],
  },
  {
    name: 'images-left-to-the-collector',
    defect: 'a call whose images are stored leaves their memory to a collection of the whole heap',
    edits: [
      {
        file: `${worker}/calls/run-call.ts`,
        find: 'room?.close(thrown === null);',
        replace: 'room?.close(false);',
      },
    ],
    hunters: ['apps/generation-worker/test/call-memory.test.ts'],
  },
  {
    name: 'small-image-in-freed-memory',
    defect: 'an image that is kept for its size lies in the memory of its call, which is freed',
    edits: [
      {
        file: `${worker}/steps/generate.ts`,
        find: 'bytes: Buffer.from(image.bytes)',
        replace: 'bytes: image.bytes',
      },
    ],
    hunters: ['apps/generation-worker/test/size.test.ts'],
  },
  {
    name: 'back-pressure-on-the-clock',
    defect: "a call's clock runs on while our side does not read",
    edits: [
      {
        file: 'packages/shared/src/runtime/outbound/exchange.ts',
        find: 'await iterator.next();\n      deadline.pause();',
        replace: 'await iterator.next();',
      },
    ],
    hunters: ['packages/shared/test/net/receive.test.ts'],
  },
  {
    name: 'calls-without-storage',
    defect: 'calls begin although nothing can be stored',
    edits: [
      {
        file: `${worker}/responses/create-store-gate.ts`,
        find: 'isOpen: () => closed === null,',
        replace: 'isOpen: () => true,',
      },
      {
        file: `${worker}/responses/create-store-gate.ts`,
        find: 'while (closed !== null) {',
        replace: 'while (closed !== null && waitSignal.aborted) {',
      },
    ],
    hunters: ['storage-away-large'],
  },
  {
    name: 'spool-never-full',
    defect: 'calls begin although the spool cannot take their responses',
    edits: [
      {
        file: `${worker}/responses/reserve-spool.ts`,
        find: 'signal, count: bytes }',
        replace: 'signal, count: 1 }',
      },
    ],
    hunters: [`${worker.replace('/src', '')}/test/storage-away.test.ts`],
  },
  {
    name: 'spool-of-others',
    defect: 'a response that is larger than expected takes room that other calls have reserved',
    edits: [
      {
        file: `${worker}/responses/reserve-spool.ts`,
        find: 'if (missing <= 0) {',
        replace: 'if (missing <= 0 || permits.available() === 0) {',
      },
    ],
    hunters: [`${worker}/responses/create-response-store.test.ts`],
  },
  {
    name: 'hint-before-commit',
    defect: 'workers are told of a task before it is committed',
    edits: [
      {
        file: 'apps/api/src/task/generate-handler.ts',
        find: '    return submitWithInputs(deps, { ...caller, ...named }, images).catch(adviseKey);',
        replace: `    const newId: typeof deps.accept.newId = (prefix) => {
      const id = deps.accept.newId(prefix);
      deps.hint(id, call.id, 1);
      return id;
    };
    return submitWithInputs({ ...deps, accept: { ...deps.accept, newId } }, { ...caller, ...named }, images).catch(adviseKey);`,
      },
    ],
    hunters: ['hint-without-task'],
  },
  {
    name: 'unknown-asked-again',
    defect: 'a paid call whose answer was lost is made again',
    edits: [
      {
        file: `${worker}/routing/get-eligibility.ts`,
        find: '.length > history.ambiguousRetries) {',
        replace: '.length > history.ambiguousRetries + 9) {',
      },
    ],
    hunters: ['upstreams-unknown'],
  },
  {
    name: 'job-not-resumed',
    defect: 'a job that a dead worker has submitted is forgotten and bought once more',
    edits: [
      {
        file: `${worker}/attempt/restore-history.ts`,
        find: "  if (call.state === 'started') {",
        replace:
          "  if ((call.state as string) === 'submitted') return 'cut';\n  if (call.state === 'started') {",
      },
    ],
    hunters: ['apps/generation-worker/test/jobs.test.ts', 'upstreams-worker-killed'],
  },
  {
    name: 'takeover-forgets-pictures',
    // Either look finds what the other one would have found: one alone is missed by nobody, not even by the customer.
    defect:
      'whoever takes a task over looks neither at its rows nor at its objects for what is stored already',
    edits: [
      {
        file: `${worker}/attempt/restore-history.ts`,
        find: 'if (task.storedCount > 0) {',
        replace: 'if (task.storedCount > 99) {',
      },
      {
        file: `${worker}/attempt/adopt-images.ts`,
        find: 'if (task.tidyAttempt >= task.attempt - 1 ||',
        replace: 'if (task.attempt >= 1 ||',
      },
    ],
    hunters: ['worker-killed-halfway'],
  },
  {
    name: 'inputs-without-turns',
    defect: 'the memory for input images is given to whoever asked first, whatever its account has already',
    edits: [
      {
        file: `${worker}/compose-steps.ts`,
        find: 'permits: LOADING_INPUT_BYTES, leavesRoom: 1',
        replace: 'permits: LOADING_INPUT_BYTES',
      },
      {
        file: `${worker}/inputs/load-input-images.ts`,
        find: '{ ...owner, count:',
        replace: '{ signal: owner.signal, count:',
      },
    ],
    hunters: ['slow-inputs'],
  },
  {
    name: 'last-image-not-counted',
    defect: 'the settlement writes the last image and does not count it',
    edits: [
      {
        file: 'packages/shared/src/domain/billing/settle-task.sql',
        find: 'stored_count = i.stored + (i.key IS NOT NULL)::int',
        replace: 'stored_count = i.stored',
      },
    ],
    hunters: ['simulation'],
  },
  {
    name: 'last-outcome-not-saved',
    defect: 'the settlement leaves the call of the last image open',
    edits: [
      {
        file: 'scripts/database/write-statements.mjs',
        find: "'input i JOIN locked l ON l.id = i.account",
        replace: "'input i JOIN locked l ON false",
      },
    ],
    hunters: ['packages/shared/test/billing/settle-last-call.test.ts'],
  },
  {
    name: 'outcome-before-the-settlement',
    defect:
      'the call of the last image ends although the settlement has to wait, so that a cancellation discards the image',
    edits: [
      {
        file: 'scripts/database/write-statements.mjs',
        find: "'input i JOIN locked l ON l.id = i.account",
        replace: "'input i JOIN accounts l ON l.id = i.account",
      },
    ],
    hunters: ['packages/shared/test/billing/settle-last-call.test.ts'],
  },
  {
    name: 'small-image-bought-twice',
    defect: 'a route that drew an image too small is called for it once more',
    edits: [
      {
        file: `${worker}/routing/get-eligibility.ts`,
        find: "again === 'other-model' && call.model === model",
        replace: "again === 'other-model' && call.model === model && candidate.listCostMicros < 0n",
      },
    ],
    hunters: ['apps/generation-worker/test/size.test.ts'],
  },
  {
    name: 'small-image-without-limits',
    defect:
      'an image that is too small is refused although the limits of its provider exclude every other route',
    edits: [
      {
        file: `${worker}/routing/create-planner.ts`,
        find: "call.id === callId ? { ...call, state: 'unusable', detail: 'too-small' } : call,",
        replace: "call.id === callId ? { ...call, detail: 'too-small' } : call,",
      },
    ],
    hunters: ['apps/generation-worker/test/size.test.ts'],
  },
  {
    name: 'upstream-words-unread',
    defect: 'the id that an upstream gave reaches the database as it came',
    edits: [
      {
        file: `${worker}/providers/upstream-text.ts`,
        find: "typeof value === 'string' && VISIBLE.test(value)",
        replace: "typeof value === 'string' && VISIBLE.source !== ''",
      },
    ],
    hunters: ['apps/generation-worker/test/upstream-texts.test.ts'],
  },
  {
    name: 'data-error-repeated',
    defect: 'a settlement with a value that the database refuses is repeated as it is',
    edits: [
      {
        file: 'packages/shared/src/domain/db/provider-calls/finish-call.ts',
        find: '!isDataError(error) ||',
        replace: 'isDataError(error) ||',
      },
    ],
    hunters: ['apps/generation-worker/test/upstream-texts.test.ts'],
  },
  {
    name: 'decoded-bytes-uncounted',
    defect: 'a compressed response is bounded by its announced length only',
    edits: [
      {
        file: 'packages/shared/src/runtime/outbound/exchange.ts',
        find: 'if (length > maxBytes) {',
        replace: 'if (length > maxBytes && headers.etag === undefined && status === 0) {',
      },
    ],
    hunters: ['packages/shared/test/net/encodings.test.ts'],
  },
];
