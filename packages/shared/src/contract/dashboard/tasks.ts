import type { PublicTask } from '../task.js';
import type { DeliveryItem } from './webhooks.js';

/** A picture of a task. */
export interface TaskOutputView {
  readonly index: number;
  readonly url: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly stored_at: string;
}

/** A task in a list: as the public API gives it, and what was asked. */
export interface TaskItem extends PublicTask {
  readonly prompt: string;
  readonly num_outputs: number;
}

/** `GET /dashboard/api/tasks/{id}`: a task with everything that its owner may know. Money in dollar strings. */
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
  readonly outputs: readonly TaskOutputView[];
  readonly delivery: DeliveryItem | null;
}

/** `GET /dashboard/api/playground`: what can be asked for, and what an image of it costs. */
export interface PlaygroundView {
  readonly models: readonly {
    readonly id: string;
    /** Dollar string of one image, by resolution. */
    readonly prices: Readonly<Record<string, string>>;
  }[];
  readonly aspect_ratios: readonly string[];
  readonly resolutions: readonly string[];
  readonly limits: {
    readonly prompt_characters: number;
    readonly negative_prompt_characters: number;
    readonly outputs: number;
    readonly input_images: number;
  };
}
