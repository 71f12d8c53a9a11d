import type { GenerateRequest, GivenRequest } from '../generate-request.js';
import type { PublicTask, TaskType } from '../task.js';
import type { DeliveryItem } from './webhook.js';

/** Task in the list of its account. */
export interface TaskItem extends PublicTask {
  readonly prompt: string;
  readonly num_outputs: number;
}

/** Stored image of a task. */
export interface TaskOutputView {
  readonly index: number;
  readonly url: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly stored_at: string;
}

/** Why a pending task is not being drawn. */
export interface TaskWait {
  /**
   * - `worker`: it is due, and no worker has taken it yet.
   * - `provider-failed`: the last attempt ended with a failure of a provider.
   * - `provider-works`: the provider draws, and is asked again later.
   * - `pause`: any other pause, such as the rate limit of a provider.
   */
  readonly reason: 'worker' | 'provider-failed' | 'provider-works' | 'pause';
  /** Null: it is due. */
  readonly next_try_at: string | null;
  /** Number of the next try, from 1. */
  readonly next_try: number;
  readonly max_tries: number;
}

/** Task with all that its owner may see. */
export interface TaskDetail extends TaskItem {
  readonly phase: 'queued' | 'running' | 'done';
  /** Null while it is being drawn, and once it has ended. */
  readonly wait: TaskWait | null;
  /** True while calls that run are awaited before its end; what they deliver is charged. */
  readonly is_canceling: boolean;
  /** Number of images that are stored so far. */
  readonly stored: number;
  /** Request as it can be sent again: images that were uploaded are named as files. */
  readonly request: GivenRequest;
  /** Number of its images that were uploaded and are no longer kept as files. */
  readonly lost_inputs: number;
  /** True if it has a mask, which is kept for 24 hours after the task's end. */
  readonly has_mask: boolean;
  readonly api_key: { readonly id: string; readonly name: string | null };
  readonly request_id: string;
  readonly unit_price: string;
  readonly held: string;
  readonly refunded: string | null;
  readonly deadline_at: string;
  /** When its retention erases it; null: it is kept, or pending. */
  readonly expires_at: string | null;
  /** True once prompt and images are erased. */
  readonly is_erased: boolean;
  readonly outputs: readonly TaskOutputView[];
  readonly delivery: DeliveryItem | null;
}

/** Stored image in the gallery of its account. */
export interface GalleryImage {
  readonly task_id: string;
  readonly index: number;
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly model: string;
  readonly type: TaskType;
  readonly prompt: string;
  /** Charge for this image. */
  readonly cost: string;
  readonly created_at: string;
}

/** Part of the gallery. */
export interface GalleryPage {
  readonly items: readonly GalleryImage[];
  /** Value of `before` for the part that follows; null at the end. A part without images may have a next one. */
  readonly next: string | null;
}

/** Query of the gallery; days are UTC and inclusive. */
export interface GalleryQuery {
  readonly model?: string;
  readonly type?: TaskType;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
}

/** Run of the playground in the list of its account. */
export interface PlaygroundRun {
  readonly id: string;
  readonly status: PublicTask['status'];
  /** At most 120 characters of it. */
  readonly prompt: string;
  /** Its first image; null without one. */
  readonly url: string | null;
}

/** Field of a request that the form of the playground offers, beside the model and the images to edit. */
export type FormFieldName = Exclude<
  keyof GenerateRequest,
  'model' | 'image_urls' | 'webhook_url' | 'duration' | 'metadata'
>;

/** Values that a model takes for a field, in the words of JSON Schema. */
export interface FormField {
  readonly type: 'string' | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: string | number;
}

/** Model of the playground: what it takes, and what an image costs. */
export interface PlaygroundModel {
  readonly id: string;
  /** Public name of the model family. */
  readonly family: string | null;
  /** Fields that it takes, in the order of the form. */
  readonly fields: Readonly<Partial<Record<FormFieldName, FormField>>>;
  readonly max_inputs: number;
  readonly has_masks: boolean;
  /** Price of one image, by resolution on offer. */
  readonly prices: Readonly<Record<string, string>>;
  /** Price of one image by resolution and quality, where there is a choice of quality. */
  readonly prices_by_quality: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Models of the playground. */
export interface PlaygroundView {
  readonly models: readonly PlaygroundModel[];
}

/** Open task in the list of operators. */
export interface OpenTaskItem {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
  readonly model: string;
  readonly phase: string;
  readonly tries: number;
  readonly attempt: number;
  readonly stored: number;
  readonly asked: number;
  readonly worker: string | null;
  readonly held: string;
  readonly created_at: string;
  readonly due_at: string;
  readonly lease_until: string | null;
  readonly deadline_at: string;
  /** Overdue, without a valid lease, or close to the deadline. */
  readonly is_stuck: boolean;
}

/** Call of a provider for a task. */
export interface ProviderCallItem {
  readonly id: string;
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly images_asked: number;
  readonly state: string;
  readonly detail: string | null;
  readonly provider_request_id: string | null;
  readonly cost: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly latency_ms: number | null;
  readonly key: string | null;
}

/** Task as operators see it: every row that belongs to it, without the content that its owner wrote. */
export interface WholeTask {
  readonly id: string;
  readonly account_id: string;
  readonly api_key_id: string;
  readonly request_id: string;
  readonly model: string;
  readonly type: string;
  readonly status: string;
  readonly phase: string;
  readonly attempt: number;
  readonly tries: number;
  readonly asked: number;
  readonly stored: number;
  readonly calls: number;
  readonly aspect_ratio: string;
  readonly resolution: string;
  readonly unit_price: string;
  readonly hold: string;
  readonly cost: string;
  /** Cost of its provider calls, at list price where the provider reports none. */
  readonly upstream_cost: string;
  /** May be negative; null while pending. */
  readonly margin: string | null;
  readonly error: string | null;
  readonly worker: string | null;
  readonly due_at: string;
  readonly lease_until: string | null;
  readonly deadline_at: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly input_images: number;
  readonly outputs: readonly (Omit<TaskOutputView, 'url'> & { readonly key: string })[];
  readonly provider_calls: readonly ProviderCallItem[];
  readonly ledger: readonly {
    readonly id: string;
    readonly kind: string;
    readonly amount: string;
    readonly reason: string | null;
    readonly created_at: string;
  }[];
  readonly webhook: {
    readonly id: string;
    readonly state: string;
    readonly attempt: number;
    readonly last_status: number | null;
    readonly last_error: string | null;
    readonly next_attempt_at: string | null;
    readonly delivered_at: string | null;
    readonly host: string;
  } | null;
}
