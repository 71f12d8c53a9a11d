import type { Mutant } from '../mutant.js';

const accounts = 'apps/webhook-worker/test/accounts.test.ts';

/** Defects in how webhooks share the slots of a worker. */
export const webhookMutants: readonly Mutant[] = [
  {
    name: 'host-held-by-two-accounts',
    defect: 'two accounts may hold all slots of a host that a third one shares',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-slots.ts',
        find: 'own >= Math.min(perReceiver, perHost - byHost.of(receiver.hostPort))',
        replace: 'own >= perReceiver || byHost.of(receiver.hostPort) >= perHost',
      },
    ],
    hunters: ['apps/webhook-worker/src/dispatch/dispatch.test.ts'],
  },
  {
    name: 'webhooks-without-turns',
    defect: 'one account may hold all slots for webhooks but those that are kept',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-slots.ts',
        find: 'const mayHold = (ofAccount + free) / 2;',
        replace: 'const mayHold = ofAccount + free;',
      },
    ],
    hunters: ['webhook-flood'],
  },
  {
    name: 'receivers-not-visited',
    defect: 'a search finds the oldest webhooks of an account only, whichever receivers they are for',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-due-finder.ts',
        find: ', ...(await searchHosts(ofAccounts))]',
        replace: ', ...(await searchHosts([]))]',
      },
    ],
    hunters: [accounts],
  },
  {
    name: 'receivers-visited-anew',
    defect: 'each search visits the first receivers of an account again',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-due-finder.ts',
        find: 'hosts.set(accountId, hostPort);',
        replace: 'hosts.set(accountId, hostPort.slice(hostPort.length));',
      },
    ],
    hunters: [accounts],
  },
  {
    name: 'accounts-not-visited',
    defect: 'a search finds the oldest webhooks only, whichever accounts they are of',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-due-finder.ts',
        find: 'found.push(...due);',
        replace: 'found.push(...due.slice(due.length));',
      },
    ],
    hunters: [accounts],
  },
  {
    name: 'hints-lost-with-their-round',
    defect: 'hints of a round that fails are forgotten',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/create-dispatcher.ts',
        find: 'hinted.add(id);\n        }\n        throw',
        replace: 'void id;\n        }\n        throw',
      },
    ],
    hunters: ['apps/webhook-worker/src/dispatch/create-dispatcher.test.ts'],
  },
  {
    name: 'receivers-wake-operators',
    defect: 'webhooks that wait for a receiver that hangs count as work that no worker begins',
    edits: [
      {
        file: 'apps/api/src/task/count-due-work.ts',
        find: "state = 'sending' AND lease_until > now()",
        replace: "state = 'sending' AND false",
      },
    ],
    hunters: ['apps/api/test/due-work.test.ts'],
  },
  {
    name: 'slow-receivers-seem-late',
    defect: 'webhooks that wait behind others for their receiver count as late for lack of workers',
    edits: [
      {
        file: 'apps/webhook-worker/src/dispatch/choose-deliveries.ts',
        find: 'if (account === 0 && host === 0) {',
        replace: 'if (account >= 0 && host >= 0) {',
      },
    ],
    hunters: ['apps/webhook-worker/src/dispatch/dispatch.test.ts'],
  },
  {
    name: 'webhook-of-the-submit',
    defect: 'the timestamp of a webhook is the time of the submit',
    edits: [
      {
        file: 'packages/shared/src/domain/presenters/present-webhook-event.ts',
        find: 'timestamp: task.completed_at ?? task.created_at',
        replace: 'timestamp: task.created_at',
      },
    ],
    hunters: ['packages/shared/test/billing/settle.test.ts'],
  },
  {
    name: 'nine-tries',
    defect: 'a webhook is tried nine times in a little over two days',
    edits: [
      {
        file: 'packages/shared/src/runtime/config/shared-settings.ts',
        find: '50_400, 72_000, 86_400]',
        replace: '50_400, 72_000]',
      },
    ],
    hunters: ['tests/integration/documents.test.ts'],
  },
];
