import { buildPagination, type PageQuery, toSlice } from '@image-gateway/shared/contract';
import { type Database, listFiles } from '@image-gateway/shared/db';
import type { FileList } from '@image-gateway/shared/file/schema';
import { presentFile, type UploadFileDeps } from './upload-file.js';

/** Dependencies of listing files. */
export type ListFilesDeps = Pick<UploadFileDeps, 'baseUrl' | 'fileLimits' | 'unpaidLimits'>;

/** Lists the files of an account, newest first, with what it may keep. */
export async function listOwnFiles(
  db: Pick<Database, 'run'>,
  { baseUrl, fileLimits: { maxFiles, maxBytes }, unpaidLimits }: ListFilesDeps,
  accountId: string,
  query: PageQuery,
): Promise<FileList> {
  const { files, total, bytes, isUnpaid } = await listFiles(db, accountId, toSlice(query));
  return {
    files: files.map((file) => presentFile(file, baseUrl)),
    pagination: buildPagination(query.page, query.per_page, total),
    bytes,
    max_files: maxFiles,
    max_bytes: isUnpaid ? Math.min(maxBytes, unpaidLimits.ownBytes) : maxBytes,
  };
}
