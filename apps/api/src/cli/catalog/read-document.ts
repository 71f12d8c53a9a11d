import { readFile } from 'node:fs/promises';
import { AppError } from '@image-gateway/shared/errors';

/** Reads the file of a document; throws AppError `BAD_REQUEST` for one that cannot be read. */
export async function readDocument(file: string): Promise<string> {
  try {
    // A document starts without the mark that some editors put in front.
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const reason = code === 'ENOENT' ? 'there is no such file' : String(code ?? error);
    throw new AppError('BAD_REQUEST', { publicMessage: `${file} cannot be read: ${reason}.` });
  }
}
