import { readFile } from 'node:fs/promises';
import {
  AUDIT_AUTHORS,
  type AuditAuthors,
  type LedgerReport,
  STATUS_SPANS,
  type StatusSpan,
} from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import Joi from 'joi';
import type { ListCursor } from '../../operations/list-cursor.js';
import { summarizeProviders } from '../../operations/provider/summarize-providers.js';
import { findStatus } from '../../operations/status/find-status.js';
import { findQueues } from '../../operations/system/find-queues.js';
import { findSystem } from '../../operations/system/find-system.js';
import { checkLedger } from '../../operations/system/ledger/check-ledger.js';
import { listAudit } from '../../operations/system/list-audit.js';
import { listHints } from '../../operations/system/list-hints.js';
import type { DashboardDeps } from '../deps.js';
import { cursorField, pageFields } from '../fields.js';
import { type DashboardRoute, operator } from '../route.js';

const MAX_LEDGER_ROWS = 20;

const statusQuery: Joi.ObjectSchema<{ span: StatusSpan }> = Joi.object({
  span: Joi.string()
    .valid(...STATUS_SPANS)
    .default('day')
    .messages({ '*': `span must be ${STATUS_SPANS.join(', ')}.` }),
});

const providersQuery: Joi.ObjectSchema<{ hours: number }> = Joi.object({
  hours: Joi.number().valid(1, 24, 168).default(24).messages({ '*': 'hours must be 1, 24 or 168.' }),
});

interface AuditQuery {
  readonly per_page: number;
  readonly before?: ListCursor;
  readonly subject: string;
  readonly by: AuditAuthors;
}

const auditQuery: Joi.ObjectSchema<AuditQuery> = Joi.object({
  per_page: pageFields.per_page,
  before: cursorField,
  subject: Joi.string().allow('').trim().max(100).default('').messages({ '*': 'subject must be an id.' }),
  by: Joi.string()
    .valid(...AUDIT_AUTHORS)
    .default('everybody')
    .messages({ '*': `by must be ${AUDIT_AUTHORS.join(' or ')}.` }),
});

type Reads = Pick<DashboardDeps, 'operatorReads'>;

/** Routes with which operators see how the gateway does: now, and by hours or days. */
export const statusRoutes = ({ operatorReads: db }: Reads): readonly DashboardRoute[] => [
  operator('get /operator/system', { run: () => findSystem(db) }),
  operator('get /operator/status', {
    query: statusQuery,
    run: ({ input: { span } }) => findStatus(db, span),
  }),
];

/** Routes with which operators see how the calls of providers went. */
export const providerRoutes = ({ operatorReads: db }: Reads): readonly DashboardRoute[] => [
  operator('get /operator/providers', {
    query: providersQuery,
    run: ({ input: { hours } }) => summarizeProviders(db, hours),
  }),
];

/** Routes with which operators look at queues, books and changes by hand. */
export function systemRoutes({
  books,
  inspector,
  invariantsFile,
  operatorReads: db,
}: DashboardDeps): readonly DashboardRoute[] {
  const checkBooks = createLedgerCheck({ db: books, invariantsFile });
  return [
    // Waiting and running work by the database's word, and what Redis says of the hints.
    operator('get /operator/queues', { run: () => findQueues({ db, inspector }) }),
    // Null when Redis is unreachable.
    operator('get /operator/hints', { run: () => listHints(inspector) }),
    operator('post /operator/ledger/check', { run: checkBooks }),
    operator('get /operator/audit', {
      query: auditQuery,
      run: ({ input: { subject, by, before: after, per_page: limit } }) =>
        listAudit(db, {
          subject: subject === '' ? null : subject,
          onlyOperators: by === 'operators',
          after,
          limit,
        }),
    }),
  ];
}

/** Creates the check of the invariants that hold at every moment; one check at a time, since it reads everything. */
function createLedgerCheck({
  db,
  invariantsFile,
}: {
  readonly db: DashboardDeps['books'];
  readonly invariantsFile: string;
}): () => Promise<LedgerReport> {
  let isRunning = false;
  return async () => {
    if (isRunning) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: 'A check is running already. Wait for it to end.',
      });
    }
    isRunning = true;
    const startedAt = performance.now();
    try {
      const invariants = await readFile(invariantsFile, 'utf8');
      const { checked, broken } = await checkLedger({ db }, { invariants, rest: false });
      return {
        checked,
        broken: broken.map(({ name, rows }) => ({ name, rows: rows.slice(0, MAX_LEDGER_ROWS) })),
        ms: Math.round(performance.now() - startedAt),
      };
    } finally {
      isRunning = false;
    }
  };
}
