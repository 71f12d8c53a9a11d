import type { Mutant } from '../mutant.js';

const hunters = ['tests/acceptance/clients.test.ts'];
const typescript = 'clients/typescript/src';
const python = 'clients/python/src/image_gateway';

/** Defects of the clients, which the scenarios of both find. */
export const clientMutants: readonly Mutant[] = [
  {
    name: 'typescript-client-without-key',
    defect: 'the TypeScript client sends no idempotency key, so that a repetition buys again',
    edits: [
      {
        file: `${typescript}/client.ts`,
        find: "      headers: { 'Idempotency-Key': idempotencyKey },\n",
        replace: '',
      },
    ],
    hunters,
  },
  {
    name: 'typescript-client-counts',
    defect: 'the TypeScript client gives up after three repetitions, long before its deadline',
    edits: [
      {
        file: `${typescript}/transport.ts`,
        find: '        if (now() + pause >= call.deadline) {',
        replace: '        if (failures >= 3 || now() + pause >= call.deadline) {',
      },
    ],
    hunters,
  },
  {
    name: 'python-client-without-key',
    defect: 'the Python clients send no idempotency key, so that a repetition buys again',
    edits: [
      {
        file: `${python}/_core.py`,
        find: '        headers = {**sent["headers"], "Idempotency-Key": key}',
        replace: '        headers = {**sent["headers"]}',
      },
    ],
    hunters,
  },
];
