import type { Mutant } from '../mutant.js';

const worker = 'apps/generation-worker/src';
const adapter = `${worker}/providers/task`;
const hunters = ['apps/generation-worker/test/upstreams/task.test.ts'];

/** Defects of task APIs, such as those of resellers and other gateways. */
export const taskMutants: readonly Mutant[] = [
  {
    name: 'task-saved-after-sending',
    defect: 'a call to an idempotent task API is saved as a job only when its answer has come',
    edits: [
      {
        file: `${adapter}/create-task-api.ts`,
        find: 'if (api.idempotent === true && job === null) {',
        replace: 'if (api.idempotent === true && job !== null) {',
      },
    ],
    hunters,
    red: 'a submission whose answer is lost',
  },
  {
    name: 'task-repeated-as-another-call',
    defect: 'a repeated submission has another {call} than the first one',
    edits: [
      {
        file: `${adapter}/build-request.ts`,
        find: 'call: request.callId,',
        replace: 'call: `${request.callId}-${Date.now()}`,',
      },
    ],
    hunters,
    red: 'a submission whose answer is lost',
  },
  {
    name: 'task-repetition-believed',
    defect:
      'a refusal of a repeated submission is taken for one of the first, and another provider is paid too',
    edits: [
      {
        file: `${adapter}/create-task-api.ts`,
        find: 'throw isRepeated ? toOutcomeOfRepetition(error) : error;',
        replace: 'throw error;',
      },
    ],
    hunters,
    red: 'a submission whose answer is lost',
  },
  {
    name: 'task-unknown-state-failed',
    defect: 'a state that no list has counts as a failure, and the image is bought again',
    edits: [
      {
        file: `${adapter}/parse-response.ts`,
        find: "return toFailed('unknown', `the state of the job",
        replace: "return toFailed('no-image', `the state of the job",
      },
    ],
    hunters,
    red: 'a state that no list has is an unknown outcome',
  },
  {
    name: 'task-key-to-another-host',
    defect: 'the key of a task API goes to whoever holds its results',
    edits: [
      {
        file: `${adapter}/create-task-api.ts`,
        find: '(url.startsWith(`${upstream.baseUrl}/`) ? authorize(key) : {});',
        replace: '(url === upstream.baseUrl ? {} : authorize(key));',
      },
    ],
    hunters,
    red: 'the preset evolink draws in the shape that is asked, and edits the images that it is given',
  },
  {
    name: 'task-unsent-costs',
    defect: 'a call that was cut before anything was sent counts at its list price',
    edits: [
      {
        file: `${worker}/routing/create-router.ts`,
        find: 'provider?.recordsFirst === true ? 0n : costMicros',
        replace: 'costMicros',
      },
    ],
    hunters: [`${worker}/routing/create-router.test.ts`],
  },
];
