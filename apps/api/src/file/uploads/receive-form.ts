import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { LIMITS } from '@image-gateway/shared/contract';
import { newInputEntry } from '@image-gateway/shared/ids';
import type { KeyCall } from '../../http/framework/call.js';
import { checkImageSize, FieldError, invalidField } from './field-error.js';
import type { RequestSpool } from './spool-upload.js';
import type { InputImage } from './store-inputs.js';

/** Values of a form. */
export type FormValues = Readonly<Record<string, string>>;

/** Place of a file in a form. */
export interface FilePlace {
  /** Field, as errors name it. */
  readonly field: string;
  /** Such as `image[1]`. */
  readonly place: string;
}

/** Files that a form may hold, and who judges them. */
export interface FormPlan {
  readonly maxFiles: number;
  /** Names the next file by the name of its field; null for one that is dropped. Throws FieldError for one too many. */
  readonly nameFile: (name: string) => FilePlace | null;
  /** Returns the error of more files than any request has. */
  readonly tooManyFiles: () => FieldError;
  /** Judges the fields that came before a file. Rejects with AppError. */
  readonly judge: (values: FormValues, file: FilePlace) => Promise<void>;
}

/** File of a form, which is on disk. */
export interface ReceivedFile extends FilePlace {
  readonly image: InputImage;
}

/** Form whose files are on disk. */
export interface ReceivedForm {
  readonly values: FormValues;
  readonly files: readonly ReceivedFile[];
}

const MAX_FIELDS = 64;
/** Four bytes a character of the longest prompt. */
const MAX_FIELD_BYTES = 128_000;

/**
 * Receives a form. Its files come one after the other. Each goes to disk as it arrives. The fields that came before a file are
 * judged first. Throws AppError, and then leaves the rest of the body to who reads it.
 */
export async function receiveForm(call: KeyCall, spool: RequestSpool, plan: FormPlan): Promise<ReceivedForm> {
  const parser = createParser(call, plan);
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  const received: Promise<ReceivedFile>[] = [];
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
  const receive = async (file: Readable, place: FilePlace): Promise<ReceivedFile> => {
    await received.at(-1);
    await plan.judge({ ...values }, place);
    return { ...place, image: await receiveFile(spool, file, place) };
  };
  parser.on('file', (name, file) => {
    // A file whose form broke ends with an error, which the parser reports too.
    file.on('error', () => undefined);
    files.push(file);
    let place: FilePlace | null;
    try {
      place = plan.nameFile(name);
    } catch (error) {
      fail(error as Error);
      return;
    }
    if (place === null) {
      file.resume();
      return;
    }
    const receiving = receive(file, place);
    receiving.catch(fail);
    received.push(receiving);
  });
  parser.on('filesLimit', () => fail(plan.tooManyFiles()));
  for (const limit of ['fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () =>
      fail(new FieldError('BAD_REQUEST', { publicMessage: 'The form has too many fields.' })),
    );
  }
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
    await Promise.allSettled(received);
    throw toFormError(error);
  } finally {
    call.source.off('close', breakOff);
  }
  return { values, files: await Promise.all(received) };
}

function createParser(call: KeyCall, { maxFiles }: FormPlan): BusboyInstance {
  const [type] = call.header('content-type');
  try {
    return new Busboy({
      headers: { 'content-type': type ?? '' },
      // Some clients send an image without a name for its file.
      isPartAFile: (_field, contentType, fileName) =>
        fileName !== undefined || /^(image\/|application\/octet-stream)/i.test(contentType ?? ''),
      limits: {
        files: maxFiles,
        // One more byte than is allowed tells a file that is too large.
        fileSize: LIMITS.inputImageBytes + 1,
        fields: MAX_FIELDS,
        // Parts that are neither, which cost as much.
        parts: MAX_FIELDS + maxFiles,
        fieldSize: MAX_FIELD_BYTES,
      },
    });
  } catch (error) {
    throw toFormError(error);
  }
}

/** Writes a file to disk as it arrives. Throws AppError for one that is empty or too large. */
export async function receiveFile(
  spool: RequestSpool,
  file: AsyncIterable<unknown>,
  { field, place }: FilePlace,
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
    return new FieldError('BAD_REQUEST', { publicMessage: 'The form is malformed or was cut off.' });
  }
  return error;
}
