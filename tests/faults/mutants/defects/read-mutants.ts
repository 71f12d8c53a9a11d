import type { Mutant } from '../mutant.js';

const db = 'packages/shared/src/domain/db';
const framework = 'apps/api/src/http/framework';
const chunkTests = `${framework}/create-chunk-sender.test.ts`;

/** Defects of lists, usage and sums, and of the turns in which they wait. */
export const readMutants: readonly Mutant[] = [
  {
    name: 'one-account-all-reads',
    defect: 'one account may hold every connection for lists',
    edits: [
      {
        file: `${db}/read-turns.ts`,
        find: 'createSemaphore({ permits: perOwner })',
        replace: 'createSemaphore({ permits: connections })',
      },
    ],
    hunters: ['apps/api/test/reads.test.ts'],
  },
  {
    name: 'reads-do-not-wait',
    defect: 'a read that has no turn within 300 ms is refused',
    edits: [
      {
        file: `${db}/read-turns.ts`,
        find: 'startTimer(maxWaitMs, ',
        replace: 'startTimer(Math.min(maxWaitMs, 300), ',
      },
    ],
    hunters: ['apps/api/test/reads.test.ts'],
  },
  {
    name: 'reads-wait-for-a-dead-database',
    defect: 'reads that wait find out one after the other that the database is away',
    edits: [
      {
        file: `${db}/read-turns.ts`,
        find: 'if (isUnreachable(error)) {',
        replace: 'if (isUnreachable(error) && connections === 0) {',
      },
    ],
    hunters: ['packages/shared/test/db/reads.test.ts'],
  },
  {
    name: 'reads-join-old-answers',
    defect: 'a read gets rows that were read before it came',
    edits: [
      {
        file: `${db}/read-turns.ts`,
        find: '    turn.waiting.delete(key);\n    turn.waitingCallers',
        replace: '    setTimeout(() => turn.waiting.delete(key), 50);\n    turn.waitingCallers',
      },
    ],
    hunters: ['packages/shared/src/domain/db/read-turns.test.ts'],
  },
  {
    name: 'lists-planned-by-old-statistics',
    defect: 'a list of failed tasks may use an index over the failures of all accounts',
    edits: [
      {
        file: `${db}/statement.ts`,
        find: 'return `(SELECT ${value})`;',
        replace: 'return value;',
      },
    ],
    hunters: ['packages/shared/test/db/list-plans.test.ts'],
  },
  {
    name: 'chunk-freed-before-sent',
    defect: 'a chunk of a download is freed while it is being sent',
    edits: [
      {
        file: `${framework}/create-chunk-sender.ts`,
        find: 'write: (chunk: Buffer, _encoding, done) => {',
        replace: 'write: (chunk: Buffer, _encoding, done) => {\n      setImmediate(() => freeChunk(chunk));',
      },
    ],
    hunters: [chunkTests],
  },
  {
    name: 'chunks-left-to-collections',
    defect: 'chunks of a download are not freed when they have been sent',
    edits: [
      { file: `${framework}/create-chunk-sender.ts`, find: '        freeChunk(chunk);\n', replace: '' },
    ],
    hunters: [chunkTests],
  },
  {
    name: 'shared-memory-freed',
    defect: 'a chunk that is a part of memory that others use is freed with all of it',
    edits: [
      {
        file: `${framework}/create-chunk-sender.ts`,
        find: 'buffer.byteLength === byteLength',
        replace: 'byteLength > 0',
      },
    ],
    hunters: [chunkTests],
  },
  {
    name: 'download-outlives-client',
    defect: 'a download whose client has left goes on waiting for the store',
    edits: [
      {
        file: `${framework}/create-chunk-sender.ts`,
        find: "  response.once('close', leave);\n",
        replace: '',
      },
    ],
    hunters: [chunkTests],
  },
  {
    name: 'empty-last-page',
    defect: 'a list that fills its last page counts an empty one behind it',
    edits: [
      {
        file: 'packages/shared/src/domain/contract/pagination.ts',
        find: 'Math.ceil(total / perPage)',
        replace: 'Math.floor(total / perPage) + 1',
      },
    ],
    hunters: ['apps/api/test/tasks.test.ts'],
  },
];
