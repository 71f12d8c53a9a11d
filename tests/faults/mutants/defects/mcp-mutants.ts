import type { Mutant } from '../mutant.js';

const confirm = 'apps/api/src/mcp/confirm-price.ts';
const routes = 'apps/api/src/mcp/routes.ts';
const tools = 'apps/api/test/mcp/tools.test.ts';
const protocol = 'apps/api/test/mcp/protocol.test.ts';

/** Defects of the MCP server: money without a confirmation, and doors that stand open. */
export const mcpMutants: readonly Mutant[] = [
  {
    name: 'mcp-limit-raised',
    defect: 'an agent raises the price above which it must ask, by its own argument',
    edits: [{ file: confirm, find: 'above === null || above > maxMicros', replace: 'above === null' }],
    hunters: [tools],
  },
  {
    name: 'mcp-any-confirmation',
    defect: 'any confirmed price buys, also one that was never quoted',
    edits: [{ file: confirm, find: 'costMicros === confirmed', replace: 'confirmed >= 0n' }],
    hunters: [tools],
  },
  {
    name: 'mcp-one-image-confirmed',
    defect: 'the limit is compared with the price of one image',
    edits: [{ file: confirm, find: 'getHoldMicros(request, price)', replace: 'price.unitMicros' }],
    hunters: [tools],
  },
  {
    name: 'mcp-scopes-open',
    defect: 'tools do what the scopes of their key do not allow',
    edits: [
      {
        file: 'apps/api/src/mcp/operation.ts',
        find: '    requireScope(call.caller, scopes);\n',
        replace: '    void scopes;\n',
      },
      {
        file: 'apps/api/src/mcp/operation.ts',
        find: "import { requireScope } from '../http/keys/key-rights.js';\n",
        replace: '',
      },
    ],
    hunters: [tools],
  },
  {
    name: 'mcp-any-origin',
    defect: 'a page of any origin may use the tools',
    edits: [
      { file: routes, find: '  if (!isAllowed) {', replace: '  if (!isAllowed && origins.length > 9) {' },
    ],
    hunters: [protocol],
  },
  {
    name: 'mcp-lists-taken',
    defect: 'one request carries a list of calls, which count once for the limits of its key',
    edits: [{ file: routes, find: 'if (Array.isArray(message)) {', replace: "if (message === 'list') {" }],
    hunters: [protocol],
  },
];
