import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { LIMITS } from '@image-gateway/shared/contract';
import { newInputEntry } from '@image-gateway/shared/ids';
import type { KeyCall } from '../../http/framework/call.js';
import { checkImageSize, FacadeError, invalidField, tooManyImages } from '../errors/facade-error.js';
import type { RequestSpool } from './spool-upload.js';
import type { GivenImages, InputImage } from './store-inputs.js';

/** Values of a form. */
export type FormValues = Readonly<Record<string, string>>;

/** Form whose images are on disk. */
export interface ReceivedForm extends GivenImages {
  readonly values: FormValues;
}

/** The images and a mask. */
const MAX_FILES = LIMITS.inputImages + 1;
/** Most bytes that the files of a form have. */
export const MAX_FORM_BYTES = MAX_FILES * LIMITS.inputImageBytes;

/** Names under which clients send images: one or several, repeated or not. */
const IMAGE_FIELD = /^images?(?:\[\d*\])?$/;
const MAX_FIELDS = 64;
/** Four bytes a character of the longest prompt. */
const MAX_FIELD_BYTES = 128_000;

/**
 * Receives a form. Its files come one after the other. Each goes to disk as it arrives. The fields that came before a file are judged first.
 * Throws AppError, and then leaves the rest of the body to who reads it.
 */
export async function receiveForm(
  call: KeyCall,
  spool: RequestSpool,
  judge: (values: FormValues, file: 'image' | 'mask') => Promise<void>,
): Promise<ReceivedForm> {
  const parser = createParser(call);
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  const images: Promise<InputImage>[] = [];
  let mask: Promise<InputImage> | undefined;
  let last: Promise<InputImage> | undefined;
  const files: Readable[] = [];
  const fail = (error: Error): void => void parser.destroy(error);
  // The parser reports a broken form more than once.
  parser.on('error', () => undefined);
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) {
      fail(invalidField(name, `${name} is too long.`));
    } else if (value.includes('\uFFFD')) {
      // The parser puts this character in the place of bytes that are no text.
      fail(invalidField(name, `${name} is not valid UTF-8.`));
    } else {
      values[name] = value;
    }
  });
  parser.on('file', (name, file) => {
    // A file whose form broke ends with an error, which the parser reports too.
    file.on('error', () => undefined);
    files.push(file);
    const receive = (kind: 'image' | 'mask', place: string): Promise<InputImage> => {
      const before = last;
      const receiving = (async () => {
        await before;
        await judge({ ...values }, kind);
        return receiveFile(spool, file, { field: kind, place });
      })();
      receiving.catch(fail);
      last = receiving;
      return receiving;
    };
    if (name === 'mask' && mask) {
      fail(invalidField(name, 'mask must be one image.'));
    } else if (name === 'mask') {
      mask = receive(name, name);
    } else if (IMAGE_FIELD.test(name) && images.length === LIMITS.inputImages) {
      fail(tooManyImages('image'));
    } else if (IMAGE_FIELD.test(name)) {
      images.push(receive('image', `image[${images.length}]`));
    } else {
      file.resume();
    }
  });
  parser.on('filesLimit', () => fail(tooManyImages('image')));
  parser.on('fieldsLimit', () =>
    fail(new FacadeError('BAD_REQUEST', { publicMessage: 'The form has too many fields.' })),
  );
  const breakOff = (): void => {
    if (!call.source.readableEnded) {
      fail(new Error('the form was cut off'));
    }
  };
  call.source.once('close', breakOff);
  try {
    // A pipeline would destroy the request, and with it the connection on which the error is to be read.
    call.source.pipe(parser);
    if (call.source.destroyed) {
      breakOff();
    }
    await finished(parser);
  } catch (error) {
    call.source.unpipe(parser);
    // The parser leaves files open that it will not finish.
    for (const file of files) {
      file.destroy(error as Error);
    }
    // Files under way end before the space of the request is free.
    await Promise.allSettled([...images, mask]);
    throw toFormError(error);
  } finally {
    call.source.off('close', breakOff);
  }
  return { values, images: await Promise.all(images), ...(mask && { mask: await mask }) };
}

function createParser(call: KeyCall): BusboyInstance {
  const [type] = call.header('content-type');
  try {
    return new Busboy({
      headers: { 'content-type': type ?? '' },
      limits: {
        files: MAX_FILES,
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
  spool: RequestSpool,
  file: Readable,
  { field, place }: { readonly field: string; readonly place: string },
): Promise<InputImage> {
  const writer = spool.begin();
  const check = (bytes: number): void => checkImageSize(field, { place, bytes });
  for await (const chunk of file) {
    check(writer.size() + (chunk as Buffer).length);
    await writer.write(chunk as Buffer);
  }
  check(writer.size());
  const [name, body] = [newInputEntry(), writer.end()];
  return { entry: name.entry, digest: body.sha256, upload: { name, body } };
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
