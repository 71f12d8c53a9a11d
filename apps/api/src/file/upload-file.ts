import { LIMITS, ok } from '@image-gateway/shared/contract';
import {
  deleteFiles,
  judgeUnpaidUpload,
  publishFile,
  type StoredFile,
  sumFiles,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { PublicFile } from '@image-gateway/shared/file/schema';
import { fileId, parseFileName } from '@image-gateway/shared/ids';
import type { Handler, KeyCall } from '../http/framework/call.js';
import type { CheckContent } from './uploads/check-content.js';
import { checkImageSize, FieldError, invalidField } from './uploads/field-error.js';
import { openRoom, type RoomDeps } from './uploads/open-room.js';
import { receiveFile, receiveForm } from './uploads/receive-form.js';
import { readSource } from './uploads/receive-json.js';
import type { RequestSpool } from './uploads/spool-upload.js';
import {
  addUploads,
  countBytes,
  type InputImage,
  putUpload,
  refuseUnpaid,
  releaseInputs,
  type StoreInputsDeps,
} from './uploads/store-inputs.js';

/** Most files of an account, and the bytes that these have together. */
export interface FileLimits {
  /** MAX_FILES. */
  readonly maxFiles: number;
  /** MAX_FILES_BYTES. */
  readonly maxBytes: number;
}

/** Dependencies of uploading files. */
export interface UploadFileDeps extends RoomDeps, StoreInputsDeps {
  readonly checkContent: CheckContent;
  readonly fileLimits: FileLimits;
  readonly baseUrl: string;
  readonly onUpload: (result: 'stored' | 'refused') => void;
}

const FILE = { field: 'file', place: 'file' } as const;
/** The image, and what a form adds to it. */
const MAX_BYTES = LIMITS.inputImageBytes + 64 * 1024;
/** By content type; a name ends in it. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

/** `POST /v1/files`: keeps an image for requests that name it in `image_urls`. */
export function uploadFileHandler(deps: UploadFileDeps): Handler<KeyCall> {
  return async (call) => {
    const file = await uploadFile(deps, call);
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok(file),
      // Its name is unknown to everybody then.
      onEnd: (isDelivered) =>
        void (isDelivered ? undefined : withdrawFile(deps, call.caller.accountId, file.id)),
    };
  };
}

async function withdrawFile({ db, logger }: UploadFileDeps, accountId: string, name: string): Promise<void> {
  const id = parseFileName(name)?.id ?? '';
  await deleteFiles(db, { accountId, ids: [id] }).catch((error: unknown) => {
    logger.warn('a file that its client does not know is kept until it expires', { error });
  });
}

/** Receives a file, checks and stores it. A refused one leaves nothing behind. Rejects with AppError. */
export async function uploadFile(deps: UploadFileDeps, call: KeyCall): Promise<PublicFile> {
  try {
    const file = presentFile(await receiveAndStore(deps, call), deps.baseUrl);
    deps.onUpload('stored');
    return file;
  } catch (error) {
    deps.onUpload('refused');
    throw error;
  }
}

/** Presents a file. */
export function presentFile(file: StoredFile, baseUrl: string): PublicFile {
  const { id, contentType, bytes, width, height, sha256, expiresAt } = file;
  return {
    id: fileId(id),
    url: `${baseUrl}/v1/files/${fileId(id)}.${EXTENSIONS[contentType] ?? ''}`,
    content_type: contentType,
    bytes,
    width,
    height,
    sha256,
    expires_at: expiresAt.toISOString(),
  };
}

async function receiveAndStore(deps: UploadFileDeps, call: KeyCall): Promise<StoredFile> {
  const [type = ''] = call.header('content-type');
  const isForm = /^multipart\/form-data\s*;/i.test(type);
  // The content decides; tools that send any file say application/octet-stream.
  if (!isForm && !/^(image\/[a-z]|application\/octet-stream)/i.test(type)) {
    throw new AppError('BAD_REQUEST', {
      publicMessage:
        'Send a form with the image as the field file (multipart/form-data), or the image itself with its type (Content-Type: image/png).',
    });
  }
  const length = Number(call.header('content-length')[0] ?? 0);
  if (length > (isForm ? MAX_BYTES : LIMITS.inputImageBytes)) {
    checkImageSize(FILE.field, { ...FILE, bytes: length });
  }
  const { accountId } = call.caller;
  const bytes = isForm ? 0 : length;
  await refuseOverLimits(deps, accountId, { moreFiles: 1, moreBytes: bytes });
  await refuseUnpaid(
    deps,
    await judgeUnpaidUpload(deps.db, accountId, Math.max(1, bytes), deps.unpaidLimits),
  );
  const room = await openRoom(deps, call, MAX_BYTES);
  try {
    const image = isForm
      ? await receiveFromForm(call, room)
      : await receiveFile(room, readSource(call, cutOff), FILE);
    return await checkAndStore(deps, call, image);
  } finally {
    await room.close();
  }
}

async function receiveFromForm(call: KeyCall, spool: RequestSpool): Promise<InputImage> {
  const tooManyFiles = () => invalidField(FILE.field, 'The form must hold one file.');
  let isNamed = false;
  const { files } = await receiveForm(call, spool, {
    maxFiles: 2,
    tooManyFiles,
    nameFile: (name) => {
      if (name !== FILE.field) {
        return null;
      }
      if (isNamed) {
        throw tooManyFiles();
      }
      isNamed = true;
      return FILE;
    },
    judge: () => Promise.resolve(),
  });
  const [file] = files;
  if (!file) {
    throw invalidField(FILE.field, 'The form must hold the image as a file in the field file.');
  }
  return file.image;
}

async function checkAndStore(
  deps: UploadFileDeps,
  { caller, holdOpen }: KeyCall,
  { upload, digest: sha256 }: InputImage,
): Promise<StoredFile> {
  const { accountId, apiKeyId } = caller;
  if (!upload) {
    throw new Error('a file was received as something else');
  }
  const { name, body } = upload;
  const closed = holdOpen();
  const checked = await deps.checkContent({ ...FILE, accountId, body, signal: closed });
  const bytes = countBytes(body);
  await addUploads(deps, { accountId, uploads: [{ id: name.id, bytes }] });
  try {
    await putUpload(deps.store, name, { body, sha256 });
    const file = await publishFile(deps.db, { ...checked, id: name.id, apiKeyId, bytes, sha256 });
    if (!file) {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'the upload took too long',
        retryAfterSeconds: 1,
      });
    }
    // Counted with it: of several at once none may be one too many.
    await refuseOverLimits(deps, accountId, { moreFiles: 0, moreBytes: 0 });
    if (closed.aborted) {
      throw cutOff();
    }
    return file;
  } catch (error) {
    await releaseInputs(deps, [name]);
    throw error;
  }
}

/** Throws AppError `RATE_LIMITED` where an account would have more files, or more bytes of them, than it may. */
async function refuseOverLimits(
  { db, baseUrl, fileLimits: { maxFiles, maxBytes } }: UploadFileDeps,
  accountId: string,
  { moreFiles, moreBytes }: { readonly moreFiles: number; readonly moreBytes: number },
): Promise<void> {
  const { files, bytes } = await sumFiles(db, accountId);
  const limit =
    files + moreFiles > maxFiles
      ? `${maxFiles} files (MAX_FILES)`
      : bytes + moreBytes > maxBytes
        ? `${maxBytes} bytes of files (MAX_FILES_BYTES)`
        : null;
  if (limit !== null) {
    throw new AppError('RATE_LIMITED', {
      publicMessage:
        `This account may keep ${limit}, and this one would be too many. Delete some with DELETE /v1/files/{id} or on ` +
        `${baseUrl}/dashboard/files, or wait until they expire.`,
      retryAfterSeconds: 60,
    });
  }
}

function cutOff(): FieldError {
  return new FieldError('BAD_REQUEST', { publicMessage: 'The request was cut off.' });
}
