import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../../domain/errors/index.js';
import { TIMED_OUT, withTimeout } from '../../../runtime/concurrency/index.js';
import { ImageError, type ImageHeader } from '../image.js';
import type { EncodedImage } from './decode-image.js';
import { DECODER_PROGRAM } from './decoder-program.js';
import { type DecoderRequest, type DecoderResponse, EXIT_REFUSED, READY_LINE } from './decoder-protocol.js';
import type { DecoderTask } from './estimate-memory.js';

/** Bounds of a decoder process. */
export interface ProcessBounds {
  /** Memory for the image, in bytes, besides that of an idle decoder. */
  readonly memoryBytes: number;
  /** Longest time from the first look at the image to the end, in milliseconds. */
  readonly timeoutMs: number;
  /** Executable of node; that of this process unless given. */
  readonly nodePath?: string | undefined;
}

const MIB = 1024 * 1024;
/** Data segments of an idle decoder: 70 MiB were measured, 150 from sources. */
const IDLE_DATA_BYTES = 224 * MIB;
/** Deviation of the memory in use from the estimate. */
const SLACK_BYTES = 48 * MIB;
const START_TIMEOUT_MS = 60_000;
/** The largest images take 6 s of a slow core. Wall-clock time is no measure on a busy machine. */
const MAX_CPU_SECONDS = 60;
// `-d` counts private writable memory, which holds the heap and all images, and leaves the address space alone that V8
// reserves. No core file: an image of a customer would be in it. macOS accepts the limits and enforces the second only.
const SHELL = 'ulimit -c 0; ulimit -t "$1"; ulimit -d "$2"; shift 2; exec "$@"';

/**
 * Options of node. From Node 24 on the compiler of V8 reserves 512 MiB of private memory, more than the whole process may
 * have. The process does without the compiler, since libvips does all the work.
 */
const NODE_OPTIONS = ['--jitless', ...DECODER_PROGRAM.options];

/**
 * Decodes an image in a process of its own, which knows no settings and dies alone. Throws ImageError when the image is
 * refused or the process does not survive it. Throws a retryable AppError when the process dies before it looks at the image.
 */
export async function runDecoderProcess(
  task: DecoderTask,
  bytes: Buffer,
  {
    header,
    memoryBytes,
    timeoutMs,
    nodePath = process.execPath,
  }: ProcessBounds & { readonly header: ImageHeader },
): Promise<EncodedImage | null> {
  const maxGrowthBytes = memoryBytes + bytes.length + SLACK_BYTES;
  const order: DecoderRequest = { task, header, inputBytes: bytes.length, maxGrowthBytes };
  const dataKib = Math.ceil((IDLE_DATA_BYTES + maxGrowthBytes) / 1024);
  const command = [nodePath, ...NODE_OPTIONS, DECODER_PROGRAM.file, JSON.stringify(order)];
  const child = spawn('/bin/sh', ['-c', SHELL, 'sh', String(MAX_CPU_SECONDS), String(dataKib), ...command], {
    cwd: path.dirname(DECODER_PROGRAM.file),
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  try {
    const { started, answer } = converse(child, bytes);
    if ((await withTimeout(START_TIMEOUT_MS, Promise.race([started, answer]))) === TIMED_OUT) {
      throw unavailable(`the decoder did not start within ${START_TIMEOUT_MS} ms`);
    }
    const image = await withTimeout(timeoutMs, answer);
    if (image === TIMED_OUT) {
      throw refused(`the decoder was not done after ${timeoutMs} ms`);
    }
    return image;
  } finally {
    child.kill('SIGKILL');
  }
}

type DecoderChild = ChildProcess & { stdin: Writable; stdout: Readable };

/** Hands the image to the process. `started` resolves when it is about to look at it, `answer` when it has ended. */
function converse(
  child: DecoderChild,
  bytes: Buffer,
): { readonly started: Promise<void>; readonly answer: Promise<EncodedImage | null> } {
  // A decoder that dies early closes the pipe; its exit tells more.
  child.stdin.on('error', () => undefined);
  child.stdin.end(bytes);
  const chunks: Buffer[] = [];
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      resolve();
    });
  });
  const answer = once(child, 'close').then(
    ([code, signal]) => readAnswer(Buffer.concat(chunks), { code, signal }),
    (cause: unknown) => {
      throw unavailable('no decoder can be started', cause);
    },
  );
  // It may fail while `started` is awaited.
  answer.catch(() => undefined);
  return { started, answer };
}

function readAnswer(
  output: Buffer,
  { code, signal }: { readonly code: number | null; readonly signal: NodeJS.Signals | null },
): EncodedImage | null {
  const message = `the decoder ended with ${String(signal ?? code)}`;
  if (!output.subarray(0, READY_LINE.length).equals(Buffer.from(READY_LINE))) {
    throw unavailable(`${message} before it looked at the image`);
  }
  if (code === 0) {
    return parseAnswer(output.subarray(READY_LINE.length));
  }
  throw code === EXIT_REFUSED || signal !== null ? refused(message) : unavailable(message);
}

function parseAnswer(output: Buffer): EncodedImage | null {
  const end = output.indexOf('\n');
  if (end < 0) {
    throw unavailable('the decoder gave no answer');
  }
  const answer = JSON.parse(output.toString('utf8', 0, end)) as DecoderResponse;
  return answer && { ...answer, bytes: output.subarray(end + 1) };
}

const refused = (message: string): ImageError => new ImageError('damaged', { cause: new Error(message) });

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('INTERNAL_ERROR', { message, retryable: true, cause });
}
