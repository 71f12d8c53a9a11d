import type { Mutant } from './mutant.js';

/** Defects in how webhooks share the places of a worker. */
export const webhookMutants: readonly Mutant[] = [
  {
    name: 'webhooks-without-turns',
    defect: 'one account may hold all places for webhooks but those that are kept',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-places.ts',
        find: 'const mayHold = (ofAccount + free) / 2;',
        replace: 'const mayHold = ofAccount + free;',
      },
    ],
    hunters: ['webhook-flood'],
  },
];
