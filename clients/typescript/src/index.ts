export { ImageGateway, type ImageGatewayOptions, type SubmitOptions, type Submitted } from './client.js';
export {
  ApiError,
  DeadlineError,
  type ErrorDetails,
  ImageGatewayError,
  TaskFailedError,
  WebhookError,
} from './errors.js';
export type { Files } from './files.js';
export { List } from './list.js';
export type { CallOptions, Tasks, WaitOptions } from './tasks.js';
export type {
  Account,
  FileList,
  FullTask,
  GenerateRequest,
  Model,
  Page,
  Pagination,
  Quote,
  RefusalDetails,
  Task,
  TaskCompleted,
  TaskFailed,
  TaskFinished,
  TaskPending,
  TasksQuery,
  UploadedFile,
  UsageQuery,
  UsageRecord,
  UsageSummaryEntry,
  UsageSummaryQuery,
  WebhookEvent,
} from './types.js';
export type { WebhookHeaders, Webhooks } from './webhooks.js';
