import type { Mutant } from '../mutant.js';

const http = 'apps/api/src/http';
const connections = `${http}/connections`;

/** Defects of the doors of a process: of connections, and of what is read before anybody is known. */
export const doorMutants: readonly Mutant[] = [
  {
    name: 'reset-ends-process',
    defect: 'a connection that has left the server ends the process when it is reset',
    edits: [
      {
        file: `${connections}/end-connection.ts`,
        find: "  socket.on('error', () => socket.destroy());\n",
        replace: '',
      },
    ],
    hunters: ['apps/api/test/process.test.ts'],
    red: 'connections that leave the server and are reset, or stay half open, end neither the process nor stay (PORT)',
  },
  {
    name: 'pipelined-requests-unbounded',
    defect: 'all requests that one read of a connection brings run at a time',
    edits: [
      {
        file: `${connections}/run-in-turn.ts`,
        find: 'connection.heads.length === 0 || connection.running.size >= MAX_RUNNING',
        replace: 'connection.heads.length === 0',
      },
    ],
    hunters: [`${connections}/run-in-turn.test.ts`],
    red: 'at most sixteen run at a time, all are answered in order, and the connection goes on',
  },
  {
    name: 'pipelining-connection-read-on',
    defect: 'a connection is read while requests of it wait',
    edits: [
      {
        file: `${connections}/run-in-turn.ts`,
        find: '    reading.hold(connection);\n',
        replace: '',
      },
    ],
    hunters: [`${connections}/run-in-turn.test.ts`],
    red: 'no more is read than one read brings while requests wait',
  },
  {
    name: 'shared-bytes-copied',
    defect: 'bytes that handlers share are copied for each response',
    edits: [
      {
        file: `${http}/framework/send-reply.ts`,
        find: 'isShared ? payload : Buffer.from(payload)',
        replace: 'Buffer.from(payload)',
      },
    ],
    hunters: [`${http}/framework/wait-for-room.test.ts`],
    red: 'bytes that handlers share are sent as they are, and never copied',
  },
  {
    name: 'unread-bytes-unbounded',
    defect: 'responses that nobody reads hold any number of bytes',
    edits: [
      {
        file: `${http}/framework/wait-for-room.ts`,
        find: 'count: bytes };',
        replace: 'count: Math.min(bytes, 1) };',
      },
    ],
    hunters: [`${http}/framework/wait-for-room.test.ts`],
    red: 'those of an address hold a quarter of the memory for them: the next one waits until others are read',
  },
  {
    name: 'chunks-uncounted',
    defect: 'a body may come in any number of tiny chunks',
    edits: [
      {
        file: `${connections}/limit-chunks.ts`,
        find: 'chunks > FREE_CHUNKS &&',
        replace: 'chunks > FREE_CHUNKS * 1e9 &&',
      },
    ],
    hunters: [`${connections}/limit-chunks.test.ts`],
    red: 'more than a thousand that average below 64 bytes are 400, and the connection ends',
  },
  {
    name: 'reads-counted-as-chunks',
    defect: 'a slow line makes a large chunk look like many small ones',
    edits: [
      {
        file: `${connections}/limit-chunks.ts`,
        find: 'if (socket.bytesRead === readBytes) {',
        replace: 'if (socket.bytesRead >= readBytes) {',
      },
    ],
    hunters: [`${connections}/limit-chunks.test.ts`],
    red: 'a large one that a slow line brings in thousands of reads is one',
  },
  {
    name: 'connections-of-address-unbounded',
    defect: 'one address may have all connections of a process',
    edits: [
      {
        file: `${connections}/bound-addresses.ts`,
        find: '(taken.get(neighborhood) ?? 0) < perAddress',
        replace: '(taken.get(neighborhood) ?? 0) < perAddress * 1e9',
      },
    ],
    hunters: [`${connections}/bound-addresses.test.ts`],
  },
  {
    name: 'unfinished-headers-unbounded',
    defect: 'headers that are not finished take any amount of memory',
    edits: [
      {
        file: `${connections}/bound-addresses.ts`,
        find: 'let left = -headerBytes;',
        replace: 'let left = -headerBytes * 1e9;',
      },
    ],
    hunters: [`${connections}/bound-addresses.test.ts`],
  },
];
