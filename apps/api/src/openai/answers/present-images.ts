import type { FullTaskRow } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { ImageFields } from '../request/read-image-fields.js';
import type { Piece, StoredImage } from './encode-images.js';

/** Completed task with its images. */
export type CompletedTask = Pick<
  FullTaskRow,
  | 'id'
  | 'completedAt'
  | 'images'
  | 'costMicros'
  | 'quality'
  | 'background'
  | 'wishes'
  | 'unused'
  | 'aspectRatio'
  | 'resolution'
>;

/** How images are presented. */
export interface ImageFormat extends Pick<ImageFields, 'response_format' | 'size'> {
  readonly fileUrl: string;
}

/** Usage in tokens, which nobody counts here; the SDKs expect the field. */
const USAGE = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
};

/** Presents a completed task as OpenAI's list of images. */
export function presentImages(task: CompletedTask, format: ImageFormat): readonly Piece[] {
  const { created, ...facts } = describeImages(task);
  const images = task.images.flatMap((image, index) => [
    index === 0 ? '' : ',',
    '{',
    ...presentImage(image, format),
    '}',
  ]);
  return [`{"created":${created},"data":[`, ...images, `],${openObject({ ...facts, usage: USAGE })}`];
}

/** Presents a completed task as server-sent events, one for each image. */
export function presentEvents(task: CompletedTask, format: ImageFormat, type: string): readonly Piece[] {
  const { created: created_at, ...facts } = describeImages(task);
  const names = listUnused(task, format);
  const unused = names.length > 0 ? { unused: names } : {};
  const cost = formatDollars(task.costMicros);
  const more = { created_at, ...facts, usage: USAGE, task_id: task.id, cost, ...unused };
  return task.images.flatMap((image) => [
    `event: ${type}\ndata: {"type":"${type}",`,
    ...presentImage(image, format),
    `,${openObject(more)}\n\n`,
  ]);
}

/** Usual long side of an image in pixels, by resolution; models differ by less than the tolerance. */
const LONG_SIDES: Readonly<Record<string, number>> = { '1k': 1_280, '2k': 2_560, '4k': 4_096 };
/** Factor by which what was bought may differ from the size that was asked for: its long side, and the ratio of its sides. */
const SIZE_TOLERANCE = { longSide: 1.6, ratio: 1.1 };

/** Lists the fields of a request that the task does not follow: those that the upstream left out, and a size that is far away. */
export function listUnused(
  { aspectRatio, resolution, unused }: Pick<CompletedTask, 'aspectRatio' | 'resolution' | 'unused'>,
  { size }: Pick<ImageFields, 'size'>,
): readonly string[] {
  const [width, height] =
    /^(\d+)x(\d+)$/
      .exec(size ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  const names = unused ?? [];
  const longSide = LONG_SIDES[resolution];
  const [across = 1, down = 1] = aspectRatio.split(':').map(Number);
  if (longSide === undefined || width === undefined || height === undefined) {
    return names;
  }
  const differsBy = (a: number, b: number): number => Math.max(a / b, b / a);
  const isFar =
    differsBy(Math.max(width, height), longSide) > SIZE_TOLERANCE.longSide ||
    differsBy(width / height, across / down) > SIZE_TOLERANCE.ratio;
  return isFar ? [...names, 'size'] : names;
}

/** Returns what was drawn, by the first image; what nobody knows is absent. */
function describeImages(task: CompletedTask) {
  const [first] = task.images;
  const format = first?.contentType.replace('image/', '');
  const { quality: preferred = null } = isUnused(task, 'quality') ? {} : (task.wishes ?? {});
  return {
    created: Math.floor((task.completedAt?.getTime() ?? 0) / 1_000),
    size: first ? `${first.width}x${first.height}` : undefined,
    output_format: format,
    // JPEG has no transparency.
    background: format === 'jpeg' ? 'opaque' : (task.background ?? undefined),
    quality: first?.quality ?? task.quality ?? preferred ?? undefined,
  };
}

function isUnused({ unused }: Pick<CompletedTask, 'unused'>, name: string): boolean {
  return unused?.includes(name) ?? false;
}

function presentImage(image: StoredImage, { response_format: form, fileUrl }: ImageFormat): readonly Piece[] {
  return form === 'url'
    ? [`"url":${JSON.stringify(`${fileUrl}/${image.key}`)}`]
    : ['"b64_json":"', image, '"'];
}

/** Returns the JSON of an object without its opening brace. */
function openObject(value: object): string {
  return JSON.stringify(value).slice(1);
}
