export {
  type AcceptDeps,
  type Accepted,
  type AcceptInput,
  acceptGeneration,
  EqualUnderWayError,
  findRefusal,
  replayGeneration,
  toSubmit,
} from './accept-generation.js';
export { adjustAccount } from './adjust-account.js';
export { cancelTask } from './cancel-task.js';
export { creditAccount } from './credit-account.js';
export { grantSignupCredit } from './grant-signup-credit.js';
export {
  createTaskInserter,
  type InsertTask,
  type TaskToInsert,
  type WaitingRequest,
} from './insert-tasks.js';
export { createSubmitJudge, type HashValue, isAboutMoney } from './judge-submit.js';
export { getHoldMicros, getPrice, type TaskPrice } from './price.js';
export { refundTask } from './refund-task.js';
export {
  type LastCall,
  type SettleDeps,
  type SettleInput,
  type Settlement,
  settleTask,
} from './settle-task.js';
