import { encodeJson } from '../http/encode-json.js';
import type { OpenaiRequest } from './build-request.js';

/** Encoded request body. */
export interface OpenaiBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Encodes a request as JSON, or as a form when it contains images. */
export async function encodeBody({ fields, files, fileField }: OpenaiRequest): Promise<OpenaiBody> {
  if (files.length === 0) return { contentType: 'application/json', bytes: await encodeJson(fields) };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [index, { bytes, contentType }] of files.entries()) {
    const extension = contentType.slice(contentType.indexOf('/') + 1);
    const blob = new Blob([new Uint8Array(bytes)], { type: contentType });
    form.append(fileField, blob, `in-${index}.${extension}`);
  }
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? '',
    bytes: Buffer.from(await encoded.arrayBuffer()),
  };
}
