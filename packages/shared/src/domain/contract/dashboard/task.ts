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

/** Task with all that its owner may see. */
export interface TaskDetail extends TaskItem {
  readonly phase: 'queued' | 'running' | 'done';
  readonly negative_prompt: string | null;
  readonly aspect_ratio: string;
  readonly resolution: string;
  readonly image_urls: readonly string[];
  readonly webhook_url: string | null;
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

/** Model of the playground: what it takes, and what an image costs. */
export interface PlaygroundModel {
  readonly id: string;
  /** Public name of the model family. */
  readonly family: string | null;
  /** Price of one image, by resolution on offer. */
  readonly prices: Readonly<Record<string, string>>;
  readonly default_resolution: string;
  readonly aspect_ratios: readonly string[];
  readonly default_aspect_ratio: string;
  readonly max_inputs: number;
  readonly max_outputs: number;
  /** Price of one image by resolution and quality, where there is a choice of quality. */
  readonly prices_by_quality: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Largest seed; null where no route takes one. */
  readonly max_seed: number | null;
  readonly output_formats: readonly string[];
  readonly has_masks: boolean;
}

/** Models and limits of the playground. */
export interface PlaygroundView {
  readonly models: readonly PlaygroundModel[];
  readonly limits: {
    readonly prompt_characters: number;
    readonly negative_prompt_characters: number;
  };
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
