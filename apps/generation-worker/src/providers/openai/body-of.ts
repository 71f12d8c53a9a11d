import { encodeJson } from '../http/encode-json.js';
import type { OpenaiRequest } from './request-of.js';

/** A body as it is sent. */
export interface OpenaiBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Writes a request: JSON, or a form when pictures go along. */
export async function bodyOf({ fields, files, fileField }: OpenaiRequest): Promise<OpenaiBody> {
  if (files.length === 0) return { contentType: 'application/json', bytes: await encodeJson(fields) };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [index, { bytes, contentType }] of files.entries()) {
    const extension = contentType.slice(contentType.indexOf('/') + 1);
    form.append(
      fileField,
      new Blob([new Uint8Array(bytes)], { type: contentType }),
      `in-${index}.${extension}`,
    );
  }
  const written = new Response(form);
  return {
    contentType: written.headers.get('content-type') ?? '',
    bytes: Buffer.from(await written.arrayBuffer()),
  };
}
