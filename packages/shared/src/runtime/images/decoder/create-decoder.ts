import { AppError } from '../../../domain/errors/index.js';
import { createSemaphore } from '../../../runtime/concurrency/index.js';
import type { ImageHeader } from '../image.js';
import { dropCompressedMetadata, dropLongTexts } from '../png/drop-compressed-metadata.js';
import { decodeImage, type EncodedImage } from './decode-image.js';
import { type DecoderTask, estimateMemory } from './estimate-memory.js';
import { runDecoderProcess } from './run-decoder-process.js';

/** Terms of a decoding. */
export interface DecodeOptions {
  readonly header: ImageHeader;
  /** Account on whose behalf it happens; waiting accounts take turns. */
  readonly key?: string;
  /** Ends the wait for room. */
  readonly signal?: AbortSignal;
}

/**
 * Decodes an image within the memory of this worker; see `decodeImage`. Throws ImageError, and a retryable AppError when no
 * process can be started.
 */
export type DecodeWithin = (
  task: DecoderTask,
  bytes: Buffer,
  options: DecodeOptions,
) => Promise<EncodedImage | null>;

/** Bounds of all decodings of a worker. */
export interface DecoderBounds {
  /** Largest estimate, in bytes, of an image that is decoded on a thread of this process. */
  readonly threadBytes: number;
  /** Images decoded on threads at a time. */
  readonly threads: number;
  /** Memory, in bytes, that all decoder processes may take together; a single larger one takes all of it. */
  readonly processBytes: number;
  /** Memory of an idle decoder process. */
  readonly idleProcessBytes: number;
  /** Longest life of a decoder process, in milliseconds. */
  readonly timeoutMs: number;
}

/** Options of `createDecoder`. */
export interface DecoderOptions {
  readonly bounds?: DecoderBounds;
  /** Executable of node for decoder processes; that of this process unless given. */
  readonly nodePath?: string;
  /** Called when a decoder process could not be started, which is no fault of its image. */
  readonly onFailure?: (error: AppError) => void;
}

const MIB = 1024 * 1024;

/**
 * Bounds of a worker that stays below 700 MB. Threads take at most 2 × 56 MiB. Processes take 448 MiB together, which is
 * what one image of 40 megapixels takes that must be held whole with 8 bytes a pixel.
 */
export const DECODER_BOUNDS: DecoderBounds = {
  threadBytes: 56 * MIB,
  threads: 2,
  processBytes: 448 * MIB,
  idleProcessBytes: 72 * MIB,
  timeoutMs: 120_000,
};

/**
 * Creates the decoder of a worker. An image with a small estimate is decoded on a thread, without the 100 ms that a process
 * takes to start. That is sound because the estimate follows from header fields that the decoder obeys. It works row by
 * row, rows are short, and data that it must hold whole is counted. All other images wait for room. They are decoded in a
 * process of their own with a memory limit, where a wrong estimate affects that image only.
 */
export function createDecoder({
  bounds = DECODER_BOUNDS,
  nodePath,
  onFailure,
}: DecoderOptions = {}): DecodeWithin {
  const threads = createSemaphore({ permits: bounds.threads });
  const processMemory = createSemaphore({ permits: bounds.processBytes });
  return (task, encoded, { header, ...terms }) => {
    const bare = header.hasCostlyMetadata ? dropCompressedMetadata(encoded) : encoded;
    const bytes = header.format === 'png' ? dropLongTexts(bare) : bare;
    const memoryBytes = estimateMemory(task, header);
    if (memoryBytes <= bounds.threadBytes) {
      return threads.run(() => decodeImage(task, bytes, header), terms);
    }
    const { timeoutMs } = bounds;
    const decode = async (): Promise<EncodedImage | null> => {
      try {
        return await runDecoderProcess(task, bytes, { header, memoryBytes, timeoutMs, nodePath });
      } catch (error) {
        if (error instanceof AppError) {
          onFailure?.(error);
        }
        throw error;
      }
    };
    return processMemory.run(decode, { ...terms, count: bounds.idleProcessBytes + memoryBytes });
  };
}
