import { readFile } from 'node:fs/promises';
import { AppError } from '@image-gateway/shared/errors';
import { needsView, providersQuery, providersView } from '@image-gateway/shared/provider/schema';
import { type Infer, list, nullable, part } from '@image-gateway/shared/schema';
import {
  auditItem,
  auditQuery,
  foundView,
  hintItem,
  type LedgerReport,
  ledgerReport,
  queueItem,
  searchQuery,
  settingsView,
  statusQuery,
  statusView,
  systemView,
} from '@image-gateway/shared/system/schema';
import type { OfferSettings } from '../catalog/page/view-models.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, operators } from '../http/define-route.js';
import { csvReply } from '../http/file-reply.js';
import { summarizeProviders } from '../provider/summarize-providers.js';
import { search } from './find-anything.js';
import { findNeeds } from './find-needs.js';
import { findQueues } from './find-queues.js';
import { findStatus } from './find-status.js';
import { findSystem } from './find-system.js';
import { checkLedger } from './ledger/check-ledger.js';
import { type AuditFilter, exportAudit, listAudit } from './list-audit.js';
import { listHints } from './list-hints.js';

const MAX_LEDGER_ROWS = 20;

type Reads = Pick<DashboardDeps, 'operatorReads' | 'unpaidLimits'>;

/** Routes with which operators see how the gateway does: now, and by hours or days. */
export const statusRoutes = ({
  operatorReads: db,
  unpaidLimits,
  listSettings,
}: Reads & Pick<DashboardDeps, 'listSettings'>) => [
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/settings',
    summary: 'Read the settings of the API, secrets only as set or not set',
    response: settingsView,
    run: () => ({ settings: listSettings() }),
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/system',
    summary: 'Read the gateway at a glance',
    response: systemView,
    run: () => findSystem(db, unpaidLimits),
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/status',
    summary: 'Read the figures of hours or days',
    response: statusView,

    query: statusQuery,
    run: ({ input: { span } }) => findStatus(db, span),
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/search',
    summary: 'Find what has an id, a reference, or an address',
    response: foundView,

    query: searchQuery,
    run: ({ input: { q } }) => search(db, q),
  }),
];

/** Routes with which operators see how the calls of providers went, and what needs them. */
export const providerRoutes = ({
  operatorReads: db,
  enabledModels,
  listProviders,
}: Reads & OfferSettings) => [
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/needs',
    summary: 'List what needs an operator',
    response: needsView,
    run: () => findNeeds(db, { enabledModels, listProviders }),
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/providers',
    summary: 'Read how the calls of providers went',
    response: providersView,

    query: providersQuery,
    run: ({ input: { hours } }) => summarizeProviders(db, { hours, enabledModels }),
  }),
];

/** Routes with which operators look at queues, books and changes by hand. */
export function systemRoutes({ books, inspector, invariantsFile, operatorReads: db }: DashboardDeps) {
  const checkBooks = createLedgerCheck({ db: books, invariantsFile });
  return [
    // Waiting and running work by the database's word, and what Redis says of the hints.
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/queues',
      summary: 'Read the work of the queues',
      response: list(queueItem),
      run: () => findQueues({ db, inspector }),
    }),
    // Null when Redis is unreachable.
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/hints',
      summary: 'List the jobs in Redis; null while it is unreachable',
      response: nullable(list(hintItem)),
      run: () => listHints(inspector),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/ledger/check',
      summary: 'Check the books',
      response: ledgerReport,
      run: checkBooks,
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/audit',
      summary: 'List changes by hand',
      response: part(auditItem),

      query: auditQuery,
      run: ({ input: { before: after, per_page: limit, ...filter } }) =>
        listAudit(db, { ...toAuditFilter(filter), after, limit }),
    }),
    auditFile(db),
  ];
}

/** The file with everything that the filters find. */
const auditFile = (db: DashboardDeps['operatorReads']) =>
  defineRoute({
    ...operators,
    method: 'get',
    path: '/operator/audit.csv',
    summary: 'Fetch the changes by hand as a file',
    query: auditQuery,
    send: async ({ input }) => csvReply('audit.csv', exportAudit(db, toAuditFilter(input))),
  });

function toAuditFilter({ by, ...texts }: Omit<Infer<typeof auditQuery>, 'per_page' | 'before'>): AuditFilter {
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
