import { readFile } from 'node:fs/promises';
import { AppError } from '@image-gateway/shared/errors';

// The decoder drops the mark that some editors put in front of a document.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the file of a document. Throws AppError `BAD_REQUEST` for one that cannot be read, is not UTF-8 or holds nothing. */
export async function readDocument(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const { code } = error as { readonly code?: unknown };
    const reason = code === 'ENOENT' ? 'there is no such file' : String(code ?? error);
    throw new AppError('BAD_REQUEST', { publicMessage: `${file} cannot be read: ${reason}.` });
  });
  const text = decode(bytes, file);
  // A template that broke must not put the built-in prices back.
  if (text.trim() === '') {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `${file} is empty. A document that changes nothing is: models: {}`,
    });
  }
  return text;
}

function decode(bytes: Buffer, file: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError('BAD_REQUEST', { publicMessage: `${file} is not UTF-8. Save it in that encoding.` });
  }
}
