import { accountAdjust } from './account/account-adjust.js';
import { accountCreate } from './account/account-create.js';
import { accountCredit } from './account/account-credit.js';
import { accountLimits } from './account/account-limits.js';
import { accountList } from './account/account-list.js';
import { accountResume } from './account/account-resume.js';
import { accountRotateWebhookSecret } from './account/account-rotate-webhook-secret.js';
import { accountShow } from './account/account-show.js';
import { accountSuspend } from './account/account-suspend.js';
import type { CliCommand } from './cli-command.js';
import { doctor } from './doctor/doctor.js';
import { keyCreate } from './key/key-create.js';
import { keyList } from './key/key-list.js';
import { keyRevoke } from './key/key-revoke.js';
import { ledgerCheck } from './ledger/ledger-check.js';
import { operatorCreate } from './operator/operator-create.js';
import { providers } from './providers/providers.js';
import { taskFail } from './task/task-fail.js';
import { taskRefund } from './task/task-refund.js';
import { taskRequeue } from './task/task-requeue.js';
import { taskShow } from './task/task-show.js';
import { webhookList } from './webhook/webhook-list.js';
import { webhookResend } from './webhook/webhook-resend.js';

/** Every command of the operator command line, in the order of the help. */
export const COMMANDS: readonly CliCommand[] = [
  accountCreate,
  accountList,
  accountShow,
  accountCredit,
  accountAdjust,
  accountLimits,
  accountSuspend,
  accountResume,
  accountRotateWebhookSecret,
  operatorCreate,
  keyCreate,
  keyList,
  keyRevoke,
  taskShow,
  taskRequeue,
  taskFail,
  taskRefund,
  webhookList,
  webhookResend,
  providers,
  ledgerCheck,
  doctor,
];
