import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  AUDIT_AUTHORS,
  type AuditAuthors,
  type LedgerReport,
  STATUS_SPANS,
  type StatusSpan,
} from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { boundedText } from '@image-gateway/shared/validation';
import Joi from 'joi';
import type { OfferSettings } from '../catalog/page/view-models.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import type { ListCursor } from '../http/list-cursor.js';
import { readQuery } from '../http/query.js';
import { cursorField, dayField, pageFields } from '../http/session/form-fields.js';
import { DASHBOARD_API, type DashboardRoute, operator } from '../http/session/route.js';
import { summarizeProviders } from '../provider/summarize-providers.js';
import { findNeeds } from './find-needs.js';
import { findQueues } from './find-queues.js';
import { findStatus } from './find-status.js';
import { findSystem } from './find-system.js';
import { checkLedger } from './ledger/check-ledger.js';
import { type AuditFilter, exportAudit, listAudit } from './list-audit.js';
import { listHints } from './list-hints.js';

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

interface AuditInput {
  readonly per_page: number;
  readonly before?: ListCursor;
  readonly subject: string;
  readonly by: AuditAuthors;
  readonly actor: string;
  readonly action: string;
  readonly day: string;
}

const shortText = (message: string): Joi.StringSchema =>
  boundedText(254).allow('').trim().default('').messages({ '*': message });

const auditQuery: Joi.ObjectSchema<AuditInput> = Joi.object({
  per_page: pageFields.per_page,
  before: cursorField,
  subject: shortText('subject must be an id.'),
  actor: shortText('actor must be an e-mail address, or cli.'),
  action: shortText('action must be the name of an action, such as key.rotate.'),
  day: dayField.allow('').default(''),
  by: Joi.string()
    .valid(...AUDIT_AUTHORS)
    .default('everybody')
    .messages({ '*': `by must be ${AUDIT_AUTHORS.join(' or ')}.` }),
});

type Reads = Pick<DashboardDeps, 'operatorReads' | 'unpaidLimits'>;

/** Routes with which operators see how the gateway does: now, and by hours or days. */
export const statusRoutes = ({ operatorReads: db, unpaidLimits }: Reads): readonly DashboardRoute[] => [
  operator('get /operator/system', { run: () => findSystem(db, unpaidLimits) }),
  operator('get /operator/status', {
    query: statusQuery,
    run: ({ input: { span } }) => findStatus(db, span),
  }),
];

/** Routes with which operators see how the calls of providers went, and what needs them. */
export const providerRoutes = ({
  operatorReads: db,
  enabledModels,
  listProviders,
}: Reads & OfferSettings): readonly DashboardRoute[] => [
  operator('get /operator/needs', { run: () => findNeeds(db, { enabledModels, listProviders }) }),
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
      run: ({ input: { before: after, per_page: limit, ...filter } }) =>
        listAudit(db, { ...toAuditFilter(filter), after, limit }),
    }),
    auditFile(db),
  ];
}

/** The file with everything that the filters find. */
const auditFile = (db: DashboardDeps['operatorReads']): DashboardRoute => ({
  method: 'get',
  path: `${DASHBOARD_API}/operator/audit.csv`,
  access: 'operator',
  handle: async (call) => ({
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit.csv"',
      'Cache-Control': 'no-store',
    },
    stream: Readable.from(exportAudit(db, toAuditFilter(readQuery(auditQuery, call))), {
      objectMode: true,
      highWaterMark: 1,
    }),
  }),
});

function toAuditFilter({ by, ...texts }: Omit<AuditInput, 'per_page' | 'before'>): AuditFilter {
  const given = (text: string): string | null => (text === '' ? null : text);
  return {
    subject: given(texts.subject),
    actor: given(texts.actor.toLowerCase()),
    action: given(texts.action),
    day: given(texts.day),
    onlyOperators: by === 'operators',
  };
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
