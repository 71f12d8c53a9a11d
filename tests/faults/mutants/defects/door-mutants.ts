import type { Mutant } from '../mutant.js';

const http = 'apps/api/src/http';

/** Defects of the doors of a process: of connections, and of what is read before anybody is known. */
export const doorMutants: readonly Mutant[] = [
  {
    name: 'reset-ends-process',
    defect: 'a connection that has left the server ends the process when it is reset',
    edits: [
      {
        file: `${http}/end-connection.ts`,
        find: "  socket.on('error', () => socket.destroy());\n",
        replace: '',
      },
    ],
    hunters: ['apps/api/test/process.test.ts'],
    red: 'connections that leave the server and are reset, or stay half open, end neither the process nor stay (PORT)',
  },
];
