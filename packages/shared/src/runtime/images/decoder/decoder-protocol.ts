import type { ImageHeader } from '../image.js';
import type { EncodedImage } from './decode-image.js';
import type { DecoderTask } from './estimate-memory.js';

/** Order for a decoder process, its only argument; the encoded image follows on the standard input. */
export interface DecoderRequest {
  readonly task: DecoderTask;
  readonly header: ImageHeader;
  readonly inputBytes: number;
  /** Growth of the resident memory that ends the process, in bytes. */
  readonly maxGrowthBytes: number;
}

/** First line on the standard output of a decoder process, before it looks at the image. A process that dies before it has not started. */
export const READY_LINE = 'ready\n';

/** Next line on the standard output; the bytes of the image follow. */
export type DecoderResponse = Omit<EncodedImage, 'bytes'> | null;

/** Exit code of a decoder process that has refused the image. */
export const EXIT_REFUSED = 2;
