import type { AspectRatio, Resolution } from '@image-gateway/shared/contract';
import type { OpenaiDialect } from './dialect-of.js';

// OpenAI takes multiples of 16 up to 3840x2160. Models for hardware of one's own are trained near one megapixel: theirs are
// the sizes of the named models, which are multiples of 16 too.
const LANDSCAPE: Readonly<Record<OpenaiDialect, Readonly<Record<Resolution, readonly [number, number]>>>> = {
  openai: { '1k': [1536, 864], '2k': [2560, 1440], '4k': [3840, 2160] },
  compatible: { '1k': [1376, 768], '2k': [2752, 1536], '4k': [5504, 3072] },
};

/** The size to ask for, such as `1536x864`. */
export function sizeOf(dialect: OpenaiDialect, aspectRatio: AspectRatio, resolution: Resolution): string {
  const [long, short] = LANDSCAPE[dialect][resolution];
  return aspectRatio === '16:9' ? `${long}x${short}` : `${short}x${long}`;
}
