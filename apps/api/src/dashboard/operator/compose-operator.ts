import type { Database } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { QueueInspector } from '@image-gateway/shared/queues';
import { adjust } from './adjust.js';
import { credit } from './credit.js';
import { fail } from './fail.js';
import { getAccount } from './get-account.js';
import { getProviders } from './get-providers.js';
import { getQueues } from './get-queues.js';
import { getSystem } from './get-system.js';
import { getTask } from './get-task.js';
import { listAccounts } from './list-accounts.js';
import { listAudit } from './list-audit.js';
import { listHints } from './list-hints.js';
import { listTasks } from './list-tasks.js';
import { refund } from './refund.js';
import { requeue } from './requeue.js';
import { resetOwnerPassword } from './reset-owner-password.js';
import type { OperatorHandlers } from './routes.js';
import { runLedgerCheck } from './run-ledger-check.js';
import { setLimits } from './set-limits.js';
import { setStatus } from './set-status.js';

/** What the operators' pages need. */
export interface OperatorDeps {
  readonly db: PrismaDatabase;
  /** For pages that can be long. */
  readonly reads: PrismaDatabase;
  /** With time for statements that read everything. */
  readonly books: Pick<Database, 'run'>;
  readonly fileUrl: string;
  readonly inspector: QueueInspector;
  /** The path of invariants.sql. */
  readonly invariantsFile: string;
}

/** Makes the handler of every route of the operators. */
export function composeOperator({
  db,
  reads,
  books,
  fileUrl,
  inspector,
  invariantsFile,
}: OperatorDeps): OperatorHandlers {
  return {
    getSystem: getSystem({ db: reads }),
    listAccounts: listAccounts({ db: reads }),
    getAccount: getAccount({ db: reads }),
    credit: credit({ db }),
    adjust: adjust({ db }),
    suspend: setStatus({ db, status: 'suspended' }),
    resume: setStatus({ db, status: 'active' }),
    setLimits: setLimits({ db }),
    resetOwnerPassword: resetOwnerPassword({ db }),
    listTasks: listTasks({ db: reads }),
    getTask: getTask({ db: reads }),
    requeue: requeue({ db }),
    fail: fail({ db, fileUrl }),
    refund: refund({ db }),
    getProviders: getProviders({ db: reads }),
    getQueues: getQueues({ db: reads, inspector }),
    listHints: listHints({ inspector }),
    runLedgerCheck: runLedgerCheck({ db: books, invariantsFile }),
    listAudit: listAudit({ db: reads }),
  };
}
