import { dollars, listSchema, nullable, object, pageSchema, ref, text } from '../../openapi/parts.js';
import { adjustBody } from '../operator/accounts/adjust.js';
import { creditBody } from '../operator/accounts/credit.js';
import { accountsQuery } from '../operator/accounts/list-accounts.js';
import { limitsBody } from '../operator/accounts/set-limits.js';
import { providersQuery } from '../operator/system/get-providers.js';
import { auditQuery } from '../operator/system/list-audit.js';
import { failBody } from '../operator/tasks/fail.js';
import { openTasksQuery } from '../operator/tasks/list-tasks.js';
import { refundBody } from '../operator/tasks/refund.js';
import { get, nothing, type Operation, post } from './operations.js';

const account = '/operator/accounts/{id}';
const task = '/operator/tasks/{id}';

/** The routes of operators. */
export function operatorPaths(): readonly Operation[] {
  return [
    get('/operator/system', 'The whole gateway at a glance', ref('SystemView')),
    get('/operator/accounts', 'Accounts, newest first', pageSchema('AccountItem'), accountsQuery),
    get(account, 'One account', ref('AccountDetail')),
    post(`${account}/credit`, 'Top an account up', object({ credited: { type: 'boolean' } }), creditBody),
    post(`${account}/adjust`, 'Correct a balance', object({ adjusted: { type: 'boolean' } }), adjustBody),
    post(`${account}/suspend`, 'Suspend an account', nothing),
    post(`${account}/resume`, 'Resume an account', nothing),
    post(`${account}/limits`, 'Set the limits of an account', nothing, limitsBody),
    post(`${account}/users/{user}/reset-password`, 'Give a new password', object({ password: text })),
    get('/operator/tasks', 'Open tasks', listSchema(ref('OpenTaskItem')), openTasksQuery),
    get(task, 'One task', ref('WholeTask')),
    post(`${task}/requeue`, 'Give a task all its tries again', nothing),
    post(`${task}/fail`, 'End a task at no cost', nothing, failBody),
    post(`${task}/refund`, 'Give back what a task cost', object({ refunded: dollars }), refundBody),
    get('/operator/providers', 'Calls, costs and circuits', ref('ProvidersView'), providersQuery),
    get('/operator/queues', 'What waits and what runs', listSchema(ref('QueueItem'))),
    get('/operator/hints', 'The first hints of each queue', nullable(listSchema(ref('HintItem')))),
    post('/operator/ledger/check', 'Check the books', ref('LedgerReport')),
    get('/operator/audit', 'What was changed by hand', pageSchema('AuditItem'), auditQuery),
  ];
}
