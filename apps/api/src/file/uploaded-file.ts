import { type Database, deleteFiles, findFiles, type StoredFile } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { type FileName, parseFileName } from '@image-gateway/shared/ids';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { requireScope } from '../http/keys/key-rights.js';
import type { ReadObject } from './create-object-reader.js';
import { EXTENSIONS } from './upload-file.js';

/** Dependencies of the handlers. */
export interface UploadedFileDeps {
  readonly db: Pick<Database, 'run'>;
  readonly readObject: ReadObject;
}

/** `GET /v1/files/{id}`: a file of the caller's account, for keys that may read, and for the one that uploaded it. */
export function getUploadedFile({ db, readObject }: UploadedFileDeps): Handler<KeyCall> {
  return async (call) => {
    const { key, file } = await findOwnFile(db, call);
    const { accountId, apiKeyId, scopes } = call.caller;
    if (file.apiKeyId !== apiKeyId && !scopes.includes('read')) {
      throw unknownFile();
    }
    const stream = await readObject({ key, start: 0, end: file.bytes - 1, address: accountId });
    if (!stream) {
      throw unknownFile();
    }
    call.holdOpen();
    return {
      status: 200,
      headers: {
        'Content-Type': file.contentType,
        'Content-Length': String(file.bytes),
        'Cache-Control': 'private, no-store',
        'X-Content-Type-Options': 'nosniff',
      },
      stream,
      ownsChunks: true,
    };
  };
}

/** `DELETE /v1/files/{id}`: removes a file, for keys that may delete, and for the one that uploaded it. */
export function deleteUploadedFile({ db }: Pick<UploadedFileDeps, 'db'>): Handler<KeyCall> {
  return async (call) => {
    const { id, file } = await findOwnFile(db, call);
    const { accountId, apiKeyId, scopes } = call.caller;
    if (file.apiKeyId !== apiKeyId) {
      if (!scopes.includes('read') && !scopes.includes('delete')) {
        throw unknownFile();
      }
      requireScope(call.caller, ['delete']);
    }
    if ((await deleteFiles(db, { accountId, ids: [id] })) === 0) {
      throw unknownFile();
    }
    return { status: 204 };
  };
}

/** Finds a file of the caller's account by the name in the path; throws AppError `NOT_FOUND`. */
async function findOwnFile(
  db: Pick<Database, 'run'>,
  { caller: { accountId }, params: { id: text = '' } }: KeyCall,
): Promise<FileName & { readonly file: StoredFile }> {
  const name = parseFileName(text);
  const [file] = name ? await findFiles(db, { accountId, ids: [name.id] }) : [];
  if (!name || !file || (name.extension ?? EXTENSIONS[file.contentType]) !== EXTENSIONS[file.contentType]) {
    throw unknownFile();
  }
  return { ...name, file };
}

function unknownFile(): AppError {
  return new AppError('NOT_FOUND', {
    publicMessage: 'There is no such file. Files are deleted 24 hours after their last use.',
  });
}
