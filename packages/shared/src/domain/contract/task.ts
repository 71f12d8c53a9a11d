import type { GenerateRequest, Preferences } from './generate-request.js';
import type { Metadata } from './metadata.js';

/** Public states of a task. */
export const TASK_STATUSES = ['pending', 'completed', 'failed'] as const;
/** A public state of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Types of task: generating images from a prompt, or editing given ones. */
export const TASK_TYPES = ['image_generate', 'image_edit'] as const;
/** A type of task. */
export type TaskType = (typeof TASK_TYPES)[number];

/** A task as `GET /v1/tasks/{id}` and the webhook show it; what does not apply is absent, never null. */
export interface PublicTask {
  readonly id: string;
  readonly status: TaskStatus;
  readonly model: string;
  readonly type: TaskType;
  readonly output?: { readonly url: string; readonly urls: readonly string[] };
  readonly error?: string;
  /** Dollar string. */
  readonly cost: string;
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  /** Of a request that gave some, until it is erased. */
  readonly metadata?: Metadata;
}

/** Views of a task that `GET /v1/tasks/{id}` offers beside the plain one. */
export const TASK_VIEWS = ['full'] as const;

/** Optional fields that a request gave: those of `/v1`, else the preferences of the facade. */
export type GivenFields = {
  readonly [Name in keyof Preferences]?: NonNullable<
    Name extends keyof GenerateRequest ? GenerateRequest[Name] : Preferences[Name]
  >;
};

/** Task as `view=full` shows it. */
export interface FullTask extends PublicTask, GivenFields {
  /** Empty unless the task is completed. */
  readonly images: readonly {
    readonly url: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
    readonly content_type: string;
    readonly sha256: string;
    /** As the upstream reported it. */
    readonly seed?: number;
    readonly quality?: string;
    readonly revised_prompt?: string;
  }[];
  /** Number of requested images. */
  readonly asked: number;
  readonly prompt: string;
  /** Absent until a worker has set the shape of an edit that follows its first image. */
  readonly aspect_ratio?: string;
  readonly resolution: string;
  /** True for an edit with a mask. */
  readonly mask?: true;
  /** Names of preferences of a request of the facade that its upstream did not use. */
  readonly unused?: readonly string[];
  /** When its prompt, input URLs and images are erased. Absent while it is pending, and where it is kept. */
  readonly expires_at?: string;
  /** Dollar string. */
  readonly refunded?: string;
}
