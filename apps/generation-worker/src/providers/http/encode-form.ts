import type { InputImage } from '../port.js';

/** Encoded request body. */
export interface EncodedForm {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Appends an image as a file of that name; the extension follows from its type. */
export function appendImage(
  form: FormData,
  {
    field,
    name,
    input: { bytes, contentType },
  }: {
    readonly field: string;
    readonly name: string;
    readonly input: Pick<InputImage, 'bytes' | 'contentType'>;
  },
): void {
  const extension = contentType.slice(contentType.indexOf('/') + 1);
  form.append(field, new Blob([new Uint8Array(bytes)], { type: contentType }), `${name}.${extension}`);
}

/** Encodes a form as multipart/form-data. */
export async function encodeForm(form: FormData): Promise<EncodedForm> {
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? '',
    bytes: Buffer.from(await encoded.arrayBuffer()),
  };
}
