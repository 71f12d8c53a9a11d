import type { Preferences } from '../contract/index.js';
import { formatDollars } from '../money/index.js';
import { toProperty, VIEW_NAMES, type ViewName, type ViewProperty } from '../task/index.js';
import type { FullTask } from '../task/schema.js';
import { presentTask, type TaskView } from './present-task.js';

/** Fields of a task row that the full view needs beside those of the plain one. */
export interface FullTaskView extends TaskView, Readonly<Record<ViewProperty, string | number | null>> {
  readonly mask: string | null;
  readonly wishes: Preferences | null;
  readonly unused: readonly string[] | null;
  readonly shapeRatios: readonly string[] | null;
  readonly numOutputs: number;
  /** In index order. */
  readonly images: readonly {
    readonly key: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
    readonly contentType: string;
    readonly sha256: string;
    readonly seed: number | null;
    readonly quality: string | null;
    readonly revisedPrompt: string | null;
  }[];
  readonly refundedMicros: bigint | null;
  readonly expiresAt: Date | null;
}

/** Writes a task row as the full view: the public Task, then the images, the request and a refund. */
export function presentFullTask(task: FullTaskView, fileUrl: string): FullTask {
  const images = task.status === 'completed' ? task.images : [];
  const fields = Object.fromEntries(VIEW_NAMES.map((name) => [name, task[toProperty(name)]]));
  // The ratio stands only when a worker has loaded the image that it follows.
  const needs: Readonly<Record<string, unknown>> = {
    ...fields,
    ...(task.shapeRatios !== null && { aspect_ratio: null }),
  };
  return {
    ...presentTask(task, fileUrl),
    images: images.map(
      ({ key, width, height, bytes, contentType, sha256, seed, quality, revisedPrompt }) => ({
        url: `${fileUrl}/${key}`,
        width,
        height,
        bytes,
        content_type: contentType,
        sha256,
        ...withoutNulls({ seed, quality, revised_prompt: revisedPrompt }),
      }),
    ),
    asked: task.numOutputs,
    ...(withoutNulls(needs) as Pick<FullTask, ViewName>),
    ...withoutNulls(task.wishes ?? {}),
    ...(task.mask !== null && { mask: true }),
    ...(task.unused !== null && task.unused.length > 0 && { unused: task.unused }),
    ...(task.expiresAt !== null && { expires_at: task.expiresAt.toISOString() }),
    ...(task.refundedMicros !== null && { refunded: formatDollars(task.refundedMicros) }),
  };
}

type WithoutNulls<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

/** Leaves out what nobody gave or said. */
function withoutNulls<T extends object>(values: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}
