import { hash } from 'node:crypto';
import { LIMITS } from '@image-gateway/shared/contract';
import { newInputEntry } from '@image-gateway/shared/ids';
import { DATA_URL } from '@image-gateway/shared/task';
import type { KeyCall } from '../../http/framework/call.js';
import { checkImageSize, FieldError } from './field-error.js';
import { createJsonSplitter, type ImageFieldNames, invalidJson } from './split-json.js';
import type { RequestSpool, SpooledBody, SpoolWriter } from './spool-upload.js';
import type { InputImage } from './store-inputs.js';

/** JSON body, with its data URLs on disk. */
export interface ReceivedJson {
  readonly body: unknown;
  /** Images of data URLs by the marker that ends what is left of them in the body. */
  readonly uploads: ReadonlyMap<string, SpooledBody>;
}

/** Most bytes of a body whose images are data URLs. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Images of a body that was in memory as a whole. */
export const NO_UPLOADS: ReceivedJson['uploads'] = new Map();

/**
 * Receives a JSON body whose images are URLs or data URLs. It goes past as a stream. The bytes of data URLs go to disk, which is opened for
 * the first of them. Memory holds the text without them, 256 KiB at most. Throws AppError, and then leaves the rest of the body
 * to who reads it.
 */
export async function receiveJson(
  call: KeyCall,
  fields: ImageFieldNames,
  openSpool: () => Promise<RequestSpool>,
): Promise<ReceivedJson> {
  if (Number(call.header('content-length')[0] ?? 0) > MAX_JSON_BYTES) {
    throw tooLarge();
  }
  const splitter = createJsonSplitter({
    maxTextBytes: LIMITS.bodyBytes,
    maxImages: LIMITS.inputImages,
    fields,
  });
  const uploads = new Map<string, SpooledBody>();
  let bytes = 0;
  let open: { readonly writer: SpoolWriter; readonly field: string; readonly marker: string } | undefined;
  for await (const chunk of readSource(call, invalidJson)) {
    bytes += chunk.length;
    if (bytes > MAX_JSON_BYTES) {
      throw tooLarge();
    }
    for (const event of splitter.split(chunk)) {
      if (event.kind === 'begin') {
        const spool = await openSpool();
        open = { writer: spool.begin(), field: event.field, marker: event.marker };
      } else if (open && event.kind === 'bytes') {
        const place = open.field === 'mask' ? open.field : `${open.field}[${uploads.size}]`;
        if (open.writer.size() + event.bytes.length > 0) {
          checkImageSize(open.field, { place, bytes: open.writer.size() + event.bytes.length });
          await open.writer.write(event.bytes);
        }
      } else if (open) {
        uploads.set(open.marker, open.writer.end());
        open = undefined;
      }
    }
  }
  return { body: splitter.parse(), uploads };
}

/** Reads an image that is a data URL; null for any other text. */
export function readUpload(
  { field, place, url }: { readonly field: string; readonly place: string; readonly url: string },
  uploads: ReceivedJson['uploads'],
): InputImage | null {
  const [start] = DATA_URL.exec(url) ?? [];
  if (start === undefined) {
    return null;
  }
  const rest = url.slice(start.length);
  const body = uploads.get(rest) ?? Buffer.from(rest, 'base64');
  checkImageSize(field, { place, bytes: Buffer.isBuffer(body) ? body.length : body.bytes });
  const name = newInputEntry();
  const digest = Buffer.isBuffer(body) ? hash('sha256', body) : body.sha256;
  return { entry: name.entry, digest, upload: { name, body } };
}

/**
 * Yields a body as it arrives, and keeps the request open when its reader ends early. Throws the given error for a connection
 * that breaks.
 */
export async function* readSource({ source }: KeyCall, cutOff: () => FieldError): AsyncGenerator<Buffer> {
  try {
    yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw cutOff();
  }
}

function tooLarge(): FieldError {
  return new FieldError('BAD_REQUEST', { publicMessage: 'The body is larger than 16 MiB.' });
}
