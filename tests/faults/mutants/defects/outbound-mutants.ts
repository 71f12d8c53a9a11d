import type { Mutant } from '../mutant.js';

const idle = 'packages/shared/src/runtime/outbound/idle-connections.ts';
const connections = 'packages/shared/src/runtime/outbound/connections.ts';
const hunters = ['packages/shared/test/net/kept-connections.test.ts'];

/** Defects of kept connections. */
export const outboundMutants: readonly Mutant[] = [
  {
    name: 'connection-of-another',
    defect: 'a connection that was kept for one key serves another one',
    edits: [{ file: connections, find: '`${url.origin} ${owner}`', replace: '`${url.origin}`' }],
    hunters,
  },
  {
    name: 'costly-call-on-old-connection',
    defect: 'a call that may be billed uses a connection that its server may end at that moment',
    edits: [
      {
        file: idle,
        find: 'return performance.now() - since >= costlyMs;',
        replace: 'return performance.now() - since >= costlyMs + 60_000;',
      },
    ],
    hunters,
  },
  {
    name: 'ended-connection-used',
    defect: 'a request is written to a kept connection whose end has arrived and was not read yet',
    edits: [{ file: idle, find: '        await readWhatArrived();\n', replace: '' }],
    hunters,
  },
  {
    name: 'unread-connection-kept',
    defect: 'a connection is kept although its server has not read the whole request',
    edits: [
      {
        file: 'packages/shared/src/runtime/outbound/exchange.ts',
        find: 'response.readableEnded && sent.writableFinished',
        replace: 'response.readableEnded',
      },
    ],
    hunters,
  },
  {
    name: 'small-chunks-read-on',
    defect: 'a body in chunks of one byte is read to its end',
    edits: [
      {
        file: 'packages/shared/src/runtime/outbound/count-chunks.ts',
        find: 'chunks > FREE_CHUNKS &&',
        replace: 'chunks > FREE_CHUNKS * 1e6 &&',
      },
    ],
    hunters: ['packages/shared/test/net/bounds.test.ts'],
  },
];
