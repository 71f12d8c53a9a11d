export {
  type AcceptDeps,
  type Accepted,
  type AcceptInput,
  acceptGeneration,
  EqualUnderWayError,
  replayGeneration,
} from './accept-generation.js';
export { type AccountState, createAccountStateFinder, type FindAccountState } from './account-state.js';
export { type AdjustInput, adjustAccount } from './adjust-account.js';
export { type CancelInput, cancelTask } from './cancel-task.js';
export { type CreditInput, creditAccount, type MoneyDeps } from './credit-account.js';
export { explainRefusal } from './explain-refusal.js';
export {
  createTaskInserter,
  type InsertTask,
  type TaskPrice,
  type TaskToInsert,
  type WaitingRequest,
} from './insert-tasks.js';
export { refundTask } from './refund-task.js';
export {
  type LastCall,
  type SettleDeps,
  type SettleInput,
  type Settlement,
  settleTask,
} from './settle-task.js';
