export {
  type AcceptDeps,
  type Accepted,
  type AcceptInput,
  acceptGeneration,
  EqualUnderWayError,
  replayGeneration,
} from './accept-generation.js';
export { type AccountState, createAccountStateFinder, type FindAccountState } from './account-state.js';
export { adjustAccount } from './adjust-account.js';
export { cancelTask } from './cancel-task.js';
export { checkAmount } from './check-amount.js';
export { creditAccount } from './credit-account.js';
export { explainRefusal } from './explain-refusal.js';
export { findCapValue, type HashValue } from './find-cap-value.js';
export { grantSignupCredit } from './grant-signup-credit.js';
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
