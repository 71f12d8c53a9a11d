export { type ApiKeyRow, findApiKey } from './api-keys/find-api-key.js';
export { touchApiKeys } from './api-keys/touch-api-keys.js';
export { askedAs } from './asked.js';
export { createDatabase, type Database, type DatabaseOptions } from './create-database.js';
export { isUniqueViolation, sqlStateOf, toDatabaseError } from './database-error.js';
export { driverErrorOf } from './driver-error-of.js';
export { isConnectionTrouble } from './is-connection-trouble.js';
export { finishOrphanCheck } from './orphan-checks/finish-orphan-check.js';
export { type OrphanCheck, takeOrphanChecks } from './orphan-checks/take-orphan-checks.js';
export { addOutput } from './outputs/add-output.js';
export { findOutputs } from './outputs/find-outputs.js';
export { isPublicOutput } from './outputs/is-public-output.js';
export type { OutputRow } from './outputs/output-row.js';
export type { CallRow, CallState } from './provider-calls/call-row.js';
export { type AbandonedCall, findAbandonedCalls } from './provider-calls/find-abandoned-calls.js';
export { findCalls } from './provider-calls/find-calls.js';
export { type CallOutcome, finishCall } from './provider-calls/finish-call.js';
export { saveJobId } from './provider-calls/save-job-id.js';
export { startCall } from './provider-calls/start-call.js';
export { type CallSum, sumCalls } from './provider-calls/sum-calls.js';
export type { ManyStatement, Statement } from './statement.js';
export { claimExpiredTasks } from './tasks/claim-expired-tasks.js';
export { claimInTurns, type TurnsInput } from './tasks/claim-in-turns.js';
export { claimTask } from './tasks/claim-task.js';
export type { ClaimedTask, ClaimTerms } from './tasks/claimed-task.js';
export { createTaskFinder, type FindShownTask, type ShownTask } from './tasks/create-task-finder.js';
export { extendLease } from './tasks/extend-lease.js';
export { findOverdueTasks, type OverdueTask } from './tasks/find-overdue-tasks.js';
export { findPublicPicture, type PublicPicture } from './tasks/find-public-picture.js';
export { findOwnTask, findTask } from './tasks/find-task.js';
export { findTasksOutOfTries, findTasksPastDeadline, type TaskToEnd } from './tasks/find-tasks-to-end.js';
export { type ListedTask, listTasks, type Slice, type TaskFilter } from './tasks/list-tasks.js';
export { BY_TIME } from './tasks/open-tasks.js';
export { releaseTask, type TaskRelease } from './tasks/release-task.js';
export { TASK_COLUMNS, type TaskRow } from './tasks/task-row.js';
export { listUsage, type UsageRow } from './usage/list-usage.js';
export { sumUsage, type UsageSumRow } from './usage/sum-usage.js';
export type { UsageRowFilter } from './usage/usage-filter.js';
export { type ClaimedDelivery, claimDeliveries } from './webhook-deliveries/claim-deliveries.js';
export type { DueDelivery } from './webhook-deliveries/due-delivery.js';
export { findDueById } from './webhook-deliveries/find-due-by-id.js';
export { findDueOfAllHosts } from './webhook-deliveries/find-due-of-all-hosts.js';
export { findDueOfHosts } from './webhook-deliveries/find-due-of-hosts.js';
export { findDueOldest } from './webhook-deliveries/find-due-oldest.js';
export {
  type DeliveryEnd,
  type DeliveryOutcome,
  finishDelivery,
} from './webhook-deliveries/finish-delivery.js';
export {
  type ReleasedDelivery,
  releaseExpiredDeliveries,
} from './webhook-deliveries/release-expired-deliveries.js';
export { resendDelivery } from './webhook-deliveries/resend-delivery.js';
export { listWorkerReports, type SeenWorker } from './worker-reports/list-worker-reports.js';
export { saveWorkerReport } from './worker-reports/save-worker-report.js';
export type { CandidateReport, WorkerReport } from './worker-reports/worker-report.js';
