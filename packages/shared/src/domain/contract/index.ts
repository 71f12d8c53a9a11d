export * from './account-limits.js';
export * from './dashboard/index.js';
export { type Envelope, failure, ok } from './envelope.js';
export { type ErrorCode, HTTP_STATUS_BY_CODE } from './error-codes.js';
export type { WebhookEvent } from './events.js';
export { ACCOUNT_EVENTS, MAX_ENDPOINTS, MAX_REFUSALS, OPERATOR_EVENTS } from './events.js';
export type { PublicFile } from './file.js';
export type { GenerateRequest, GivenRequest, TaskRequest, Wishes } from './generate-request.js';
export * from './key-limits.js';
export { DEFAULT_KEY_SCOPES, KEY_SCOPES, type KeyScope } from './key-scopes.js';
export * from './limit-table.js';
export {
  ASPECT_RATIOS,
  type AspectRatio,
  BACKGROUNDS,
  type Background,
  ID_PATTERN,
  LIMITS,
  OUTPUT_FORMATS,
  type OutputFormat,
  QUALITIES,
  type Quality,
  RESOLUTIONS,
  type Resolution,
} from './limits.js';
export { METADATA_KEY, METADATA_LIMITS, type Metadata, OTHER_VALUES, sortMetadata } from './metadata.js';
export { buildPagination, type Page, type Pagination } from './pagination.js';
export {
  type LandscapeSizes,
  NATIVE_SIZES,
  NOMINAL_SIDES,
  OPENAI_SIZES,
  SANDBOX_SIZES,
} from './pixels.js';
export {
  type PageQuery,
  type TaskQuery,
  type TasksQuery,
  USAGE_FORMATS,
  USAGE_GROUPS,
  type UsageFilter,
  type UsageFormat,
  type UsageGroup,
  type UsageQuery,
  type UsageSummaryQuery,
} from './queries.js';
export {
  type FailureClass,
  INPUT_IMAGE_REASONS,
  inputImageReason,
  MASK_REASONS,
  MAX_REASON_LENGTH,
  maskReason,
  REASONS,
  type Reason,
} from './reasons.js';
export {
  type FullTask,
  type PublicTask,
  TASK_STATUSES,
  TASK_TYPES,
  TASK_VIEWS,
  type TaskStatus,
  type TaskType,
} from './task.js';
export type { UsageRecordItem, UsageSummaryEntry } from './usage.js';
