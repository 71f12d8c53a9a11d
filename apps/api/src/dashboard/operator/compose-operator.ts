import type { Database } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { QueueInspector } from '@image-gateway/shared/queues';
import { adjust } from './accounts/adjust.js';
import { credit } from './accounts/credit.js';
import { getAccount } from './accounts/get-account.js';
import { listAccounts } from './accounts/list-accounts.js';
import { resetOwnerPassword } from './accounts/reset-owner-password.js';
import { setLimits } from './accounts/set-limits.js';
import { setStatus } from './accounts/set-status.js';
import type { OperatorHandlers } from './routes.js';
import { getProviders } from './system/get-providers.js';
import { getQueues } from './system/get-queues.js';
import { getSystem } from './system/get-system.js';
import { listAudit } from './system/list-audit.js';
import { listHints } from './system/list-hints.js';
import { runLedgerCheck } from './system/run-ledger-check.js';
import { fail } from './tasks/fail.js';
import { getTask } from './tasks/get-task.js';
import { listTasks } from './tasks/list-tasks.js';
import { refund } from './tasks/refund.js';
import { requeue } from './tasks/requeue.js';

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
