export * from './dashboard/index.js';
export { type Envelope, failure, ok } from './envelope.js';
export { type ErrorCode, statusOfCode } from './error-codes.js';
export type { GenerateRequest } from './generate-request.js';
export { type GenerateSchemaOptions, generateSchema } from './generate-schema.js';
export { ASPECT_RATIOS, type AspectRatio, LIMITS, RESOLUTIONS, type Resolution } from './limits.js';
export { type Page, type Pagination, paginationOf } from './pagination.js';
export { parseGenerateRequest } from './parse-generate-request.js';
export { parseQuery } from './parse-query.js';
export {
  type PageQuery,
  type QuerySchemas,
  querySchemas,
  type TasksQuery,
  type UsageFilter,
  type UsageQuery,
} from './query-schemas.js';
export { INPUT_IMAGE_REASONS, inputImageReason, MAX_REASON_LENGTH, REASONS } from './reasons.js';
export { type PublicTask, TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from './task.js';
export type { UsageRecordItem, UsageSummaryEntry } from './usage.js';
export type { WebhookEvent } from './webhook-event.js';
