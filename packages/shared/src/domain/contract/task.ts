import type { GenerateRequest, Preferences } from './generate-request.js';

/** Public states of a task. */
export const TASK_STATUSES = ['pending', 'completed', 'failed'] as const;
/** A public state of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Types of task: generating images from a prompt, or editing given ones. */
export const TASK_TYPES = ['image_generate', 'image_edit'] as const;
/** A type of task. */
export type TaskType = (typeof TASK_TYPES)[number];

/** Views of a task that `GET /v1/tasks/{id}` offers beside the plain one. */
export const TASK_VIEWS = ['full'] as const;

/** Optional fields that a request gave: those of `/v1`, else the preferences of the facade. */
export type GivenFields = {
  readonly [Name in keyof Preferences]?: NonNullable<
    Name extends keyof GenerateRequest ? GenerateRequest[Name] : Preferences[Name]
  >;
};
