import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LIMITS } from '@image-gateway/shared/contract';
import busboy from 'busboy';
import type { KeyCall } from '../../http/framework/call.js';
import { FacadeError, invalidField } from '../errors/facade-error.js';
import { type SpoolDeps, spoolUpload } from './spool-upload.js';
import { type StoredInput, type StoreInputDeps, storeInput } from './store-input.js';

/** Dependencies of receiving forms. */
export type FormDeps = StoreInputDeps & SpoolDeps;

/** Form with its images stored. */
export interface ReceivedForm {
  readonly values: Readonly<Record<string, string>>;
  readonly images: readonly StoredInput[];
}

/** Names under which clients send images: one or several, repeated or not. */
const IMAGE_FIELD = /^images?(?:\[\d*\])?$/;
const MAX_FIELDS = 64;
/** Four bytes a character of the longest prompt. */
const MAX_FIELD_BYTES = 128_000;

/**
 * Receives a form. Its files come one after the other. Each goes to disk as it arrives, and is stored once it is whole. Throws AppError.
 */
export async function receiveForm(deps: FormDeps, call: KeyCall): Promise<ReceivedForm> {
  const parser = createParser(call);
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  const images: Promise<StoredInput>[] = [];
  const fail = (error: Error): void => void parser.destroy(error);
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) {
      fail(invalidField(name, `${name} is too long.`));
    } else {
      values[name] = value;
    }
  });
  parser.on('file', (name, file) => {
    // A file whose form broke ends with an error, which the parser reports too.
    file.on('error', () => undefined);
    if (name === 'mask') {
      fail(invalidField('mask', 'mask is not supported: describe in the prompt what to change.'));
    } else if (IMAGE_FIELD.test(name)) {
      const receiving = receiveFile(deps, call, { file, index: images.length });
      receiving.catch(fail);
      images.push(receiving);
    } else {
      file.resume();
    }
  });
  parser.on('filesLimit', () =>
    fail(invalidField('image', `image must hold at most ${LIMITS.inputImages} images.`)),
  );
  parser.on('fieldsLimit', () =>
    fail(new FacadeError('BAD_REQUEST', { publicMessage: 'The form has too many fields.' })),
  );
  try {
    await pipeline(call.source, parser);
  } catch (error) {
    // Uploads under way end before their places are free; the sweep removes those that are stored.
    await Promise.allSettled(images);
    throw toFormError(error);
  }
  return { values, images: await Promise.all(images) };
}

function createParser(call: KeyCall): busboy.Busboy {
  const [type] = call.header('content-type');
  try {
    return busboy({
      headers: { 'content-type': type },
      limits: {
        files: LIMITS.inputImages,
        // One more byte than is allowed tells a file that is too large.
        fileSize: LIMITS.inputImageBytes + 1,
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
      },
    });
  } catch (error) {
    throw toFormError(error);
  }
}

async function receiveFile(
  deps: FormDeps,
  call: KeyCall,
  { file, index }: { readonly file: Readable; readonly index: number },
): Promise<StoredInput> {
  const createTooLarge = (): FacadeError => largeImage(index);
  const order = { source: file, maxBytes: LIMITS.inputImageBytes, createTooLarge };
  return spoolUpload(deps, call, order, async (upload) => {
    checkSize(upload.bytes, index);
    const { accountId } = call.caller;
    return storeInput(deps, { accountId, body: upload, sha256: upload.sha256 });
  });
}

/** Throws FacadeError for an image that is empty or too large. */
export function checkSize(bytes: number, index: number): void {
  if (bytes === 0) {
    throw invalidField('image', `image[${index}] is empty.`);
  }
  if (bytes > LIMITS.inputImageBytes) {
    throw largeImage(index);
  }
}

function largeImage(index: number): FacadeError {
  return invalidField('image', `image[${index}] is too large (at most 10 MiB).`);
}

/** Errors of the parser, and of a connection that broke, are those of the request. */
function toFormError(error: unknown): unknown {
  const isForeign = error instanceof Error && error.constructor === Error;
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (isForeign || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
    return new FacadeError('BAD_REQUEST', { publicMessage: 'The form is malformed or was cut off.' });
  }
  return error;
}
