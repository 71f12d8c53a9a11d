import { statement, statementQuery } from '@image-gateway/shared/account/schema';
import { ok } from '@image-gateway/shared/contract';
import type { Reads } from '@image-gateway/shared/db';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { DashboardDeps } from '../dashboard-deps.js';
import { type ApiRoute, defineApiRoute, defineRoute, owners } from '../http/define-route.js';
import { csvReply } from '../http/file-reply.js';
import { examples } from '../http/openapi/examples.js';
import { readQuery } from '../http/query.js';
import { exportStatement, readStatement } from './find-statement.js';
import { toMovementFilter } from './list-movements.js';

/** Routes of what moved the money of an account, for its owner. */
export const statementRoutes = ({ reads }: Pick<DashboardDeps, 'reads'>) => [
  defineRoute({
    ...owners,
    method: 'get',
    path: '/statement',
    summary: 'Read the statement of the account',
    response: statement,
    query: statementQuery,
    run: ({ accountId, input }) =>
      readStatement(reads.ofAccount(accountId), toMovementFilter(accountId, input), input),
  }),
  defineRoute({
    ...owners,
    method: 'get',
    path: '/statement.csv',
    summary: 'Fetch the statement of the account as a file',
    query: statementQuery,
    send: ({ accountId, input }) => {
      const filter = toMovementFilter(accountId, input);
      return csvReply('statement.csv', exportStatement(reads.ofAccount(accountId), filter));
    },
  }),
];

/** Route of `/v1` with the statement of the account of a key. */
export const statementApiRoute = ({
  reads,
  queries,
  fileUrl,
}: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: Pick<QuerySchemas, 'statement'>;
  readonly fileUrl: string;
}): ApiRoute => {
  const shown = examples(fileUrl).statement;
  return defineApiRoute({
    door: 'v1',
    method: 'get',
    path: '/v1/account/statement',
    access: 'key',
    roles: ['read'],
    id: 'getStatement',
    summary: 'Read what moved the money of the account, newest first',
    description:
      'Top-ups, refunds, adjustments by hand, and what tasks cost, as one line a UTC day, each with the balance after it. The ' +
      'newest line has the balance of the account. With `format` the answer is a file without pages, newest line first. It is ' +
      'sent as it is read. A connection that ends early means an incomplete file.',
    query: 'statement',
    response: statement,
    answer: {
      description: 'A page of the statement, or the file.',
      examples: { statement: shown },
      content: { 'text/csv': { schema: { type: 'string' } } },
    },
    run: async (call) => {
      const { accountId } = call.caller;
      const query = readQuery(queries.statement, call);
      const filter = { accountId, kind: query.kind, from: query.from, to: query.to };
      const db = reads.ofAccount(accountId);
      return query.format === undefined
        ? {
            status: 200,
            headers: { 'Cache-Control': 'no-store' },
            json: ok(await readStatement(db, filter, query)),
          }
        : csvReply('statement.csv', exportStatement(db, filter));
    },
  });
};
