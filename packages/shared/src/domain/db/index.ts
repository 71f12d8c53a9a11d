export {
  deleteEndedKeys,
  deleteExpiredSessions,
  deleteExpiredVerifications,
  deleteOwnersAudit,
} from './access/delete-old-access.js';
export { type ApiKeyRow, findApiKey } from './api-keys/find-api-key.js';
export {
  deleteOldValueSpend,
  type KeyCap,
  type KeySpend,
  listCaps,
  listKeySpend,
} from './api-keys/key-spend.js';
export { touchApiKeys } from './api-keys/touch-api-keys.js';
export { compareObjects, type ObjectComparison, type SeenObject } from './backups/compare-objects.js';
export { createScratchDatabase, isEmptyDatabase, type ScratchDatabase } from './backups/scratch-database.js';
export { type DatabaseFacts, readFacts, withSnapshot } from './backups/with-snapshot.js';
export {
  type ActiveCatalog,
  type CatalogFeed,
  createCatalogFeed,
} from './catalog-versions/create-catalog-feed.js';
export { createModelNames, type ModelNames } from './catalog-versions/create-model-names.js';
export { type CatalogOrigin, insertCatalogVersion } from './catalog-versions/insert-catalog-version.js';
export { type LoadedCatalog, loadActiveCatalog } from './catalog-versions/load-active-catalog.js';
export { type AccountReads, createReads, type Reads } from './create-reads.js';
export * from './database.js';
export {
  claimEvents,
  deleteOldCapNotices,
  deleteOldEvents,
  type EventPage,
  findDueEvents,
  findDueEventsInTurns,
  finishEvent,
  resendEvent,
} from './endpoint-deliveries/endpoint-deliveries.js';
export {
  deleteOldOperatorNotices,
  listBrokenInvariants,
  listHeardEvents,
  selectOperatorEvents,
  tellLedgerCheck,
  tellOperatorsOnce,
  tellStatedCost,
} from './endpoint-deliveries/tell-operators.js';
export type {
  Account,
  ApiKey,
  AuditEntry,
  AuthAccount,
  AuthUser,
  CreditRequest,
  Endpoint,
  EndpointDelivery,
  LedgerTransfer,
  ProviderCall,
  ProviderCheck,
  ProviderLimit,
  Task,
  UsageDaily,
  UsageRecord,
  WebhookAttempt,
  WebhookDelivery,
  WebhookTest,
} from './generated/client.js';
export { findEndUserKey } from './installation/find-end-user-key.js';
export { buildListStatement } from './lists/build-list-statement.js';
export { listNewestTasks, type NewestTasks } from './lists/list-newest-tasks.js';
export { finishOrphanCheck, type OrphanCheck, takeOrphanChecks } from './orphan-checks/orphan-checks.js';
export {
  addOutput,
  findOutputs,
  findPublicOutput,
  insertOutputs,
  OUTPUT_FIELDS,
  type OutputRow,
  type ReportedFacts,
  toOutputFields,
} from './outputs/task-outputs.js';
export {
  type AbandonedCall,
  claimAbandonedCalls,
  deleteAbandonedCall,
  postponeAbandonedCall,
} from './provider-calls/abandoned-calls.js';
export type { CallRow, CallState } from './provider-calls/call-row.js';
export { deleteOldCalls } from './provider-calls/delete-old-calls.js';
export { findCalls } from './provider-calls/find-calls.js';
export {
  type CallOutcome,
  finishCall,
  OUTCOME_FIELDS,
  saveOutcome,
  updateCalls,
} from './provider-calls/finish-call.js';
export { saveJobId } from './provider-calls/save-job-id.js';
export { type CallRefusal, startCall } from './provider-calls/start-call.js';
export {
  addLook,
  type ClaimedCheck,
  claimCheck,
  DAILY_LOOK,
  deleteOldChecks,
  endLateChecks,
  finishCheck,
  listLookedAt,
  listStatedEnds,
  NOT_DONE,
  renewCheck,
  startDrawing,
} from './provider-checks/provider-checks.js';
export {
  countJobsOfKeys,
  deleteEndingKeys,
  type EndingKeys,
  type JobsOfKey,
  listEndingKeys,
  listProviderKeys,
  resealProviderKeys,
  type StoredKeys,
} from './provider-keys/list-provider-keys.js';
export { refuseUnusableDatabase } from './refuse-unusable-database.js';
export { countExpiredTasks, type ExpiredTasks, eraseExpiredTasks } from './retention/expired-tasks.js';
export type { ErasureTerms } from './retention/retention-term.js';
export { addUpHours, takeSweepTurn } from './sweep-turns/take-sweep-turn.js';
export {
  deleteFiles,
  type FileOwner,
  findFiles,
  linkFiles,
  listFiles,
  publishFile,
  type StoredFile,
  sumFiles,
  useFiles,
} from './task-inputs/files.js';
export {
  type AddedInputs,
  addTaskInputs,
  expireTaskInputs,
  judgeUnpaidUpload,
  linkTaskInputs,
  releaseTaskInputs,
  tellUnpaidUploads,
  type UnpaidLimits,
} from './task-inputs/task-inputs.js';
export { deleteTaskInputs, takeUnneededInputs } from './task-inputs/unneeded-inputs.js';
export { claimExpiredTasks } from './tasks/claims/claim-expired-tasks.js';
export { claimFewInTurns, claimInTurns, type Turns, type TurnsInput } from './tasks/claims/claim-in-turns.js';
export { claimTask } from './tasks/claims/claim-task.js';
export {
  claimTasksOutOfTries,
  claimTasksPastDeadline,
  type TaskToEnd,
} from './tasks/claims/claim-tasks-to-end.js';
export type { ClaimedTask, ClaimTerms } from './tasks/claims/claimed-task.js';
export {
  createImageFinder,
  type FindPublicImage,
  type PublicImage,
} from './tasks/create-image-finder.js';
export {
  createTaskFinder,
  type FindShownTask,
  findShownTasks,
  type ShownTask,
} from './tasks/create-task-finder.js';
export { deleteEndedTask, type TaskDeletion, type TaskToDelete } from './tasks/delete-ended-task.js';
export { extendLease, FENCE } from './tasks/fence.js';
export { findCancelRequest } from './tasks/find-cancel-request.js';
export { findEndedTasks } from './tasks/find-ended-tasks.js';
export { type FullTaskRow, findFullTask } from './tasks/find-full-task.js';
export { findOverdueTasks, type OverdueTask } from './tasks/find-overdue-tasks.js';
export { findOwnTask, findTask } from './tasks/find-task.js';
export { type ListedTask, listTasks, type Slice, type TaskFilter } from './tasks/list-tasks.js';
export { noteUnused, setShape } from './tasks/note-drawing.js';
export { BY_TIME } from './tasks/open-tasks.js';
export { releaseTask, type TaskRelease } from './tasks/release-task.js';
export { findSetAsideTasks, type SetAsideTask, setTaskAside } from './tasks/set-aside-tasks.js';
export { TASK_COLUMNS, type TaskRow } from './tasks/task-row.js';
export { toTimestamp } from './to-timestamp.js';
export { listUsage, type UsageRow } from './usage/list-usage.js';
export { listUsageWithRefunds } from './usage/list-usage-with-refunds.js';
export { MAX_USAGE_GROUPS, sumUsage, type UsageSumInput, type UsageSumRow } from './usage/sum-usage.js';
export type { UsageRowFilter } from './usage/usage-filter.js';
export {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryEnd,
  type DeliveryOutcome,
  deleteOldAttempts,
  finishDelivery,
  NAME_NOT_FOUND,
  type ReleasedDelivery,
  releaseExpiredDeliveries,
} from './webhook-deliveries/delivery-attempts.js';
export {
  type DueDelivery,
  findDueByAccount,
  findDueByHost,
  findDueById,
  findDueByReceiver,
  findDueOldest,
  type Receiver,
} from './webhook-deliveries/find-due.js';
export { resendDelivery } from './webhook-deliveries/resend-delivery.js';
export {
  claimTests,
  deleteOldTests,
  findDueTests,
  findDueTestsById,
  finishTest,
} from './webhook-tests/webhook-tests.js';
export {
  type CandidateReport,
  listWorkerReports,
  type ReportedWorker,
  type ResumedProvider,
  saveWorkerReport,
  type WorkerReport,
} from './worker-reports/worker-reports.js';
