import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];

/** Body of a submit. Unknown fields of later gateways may be added. */
export type GenerateRequest = Schemas['GenerateRequest'];
/** A task: pending, completed or failed, told apart by `status`. */
export type Task = Schemas['Task'];
/** A task that is under way. */
export type TaskPending = Schemas['TaskPending'];
/** A task with its images. */
export type TaskCompleted = Schemas['TaskCompleted'];
/** A task without images, and why. */
export type TaskFailed = Schemas['TaskFailed'];
/** A task that has ended. */
export type TaskFinished = TaskCompleted | TaskFailed;
/** A task with its request and what is known of each image. */
export type FullTask = Schemas['FullTask'];
/** A model on offer. */
export type Model = Schemas['Model'];
/** Price of a request. */
export type Quote = Schemas['Quote'];
/** The account, and the key that asks. */
export type Account = Schemas['Account'];
/** A charge, or a refund. */
export type UsageRecord = Schemas['UsageRecord'];
/** Numbers of a refusal for money, in dollars such as `$0.0100`. */
export type RefusalDetails = Schemas['RefusalDetails'];
/** Usage of a group. */
export type UsageSummaryEntry = Schemas['UsageSummaryEntry'];
/** Body of a webhook. */
export type WebhookEvent = Schemas['WebhookEvent'];
/** An uploaded image; its `url` stands in `image_urls`. */
export type FileList = Schemas['FileList'];
export type UploadedFile = Schemas['UploadedFile'];
/** Where a page stands in its list. */
export type Pagination = Schemas['Pagination'];
/** Filters of `tasks.list`. */
export type TasksQuery = Schemas['TasksQuery'];
/** Filters of `usage`. */
export type UsageQuery = Schemas['UsageQuery'];
/** Filters and groups of `usageSummary`. */
export type UsageSummaryQuery = Schemas['UsageSummaryQuery'];

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly pagination: Pagination;
}
