import { randomUUID } from 'node:crypto';
import type { InputImage } from '../port.js';

/** A form with one file, as it is sent. */
export interface FileForm {
  readonly contentType: string;
  readonly body: Buffer;
}

const LINE = '\r\n';

/** The form that uploads one picture: a part `content` with a file name, which is required (sdks.replicate.com, "Create A File"). */
export function formOf({ bytes, contentType }: Pick<InputImage, 'bytes' | 'contentType'>): FileForm {
  const boundary = randomUUID();
  const extension = contentType.slice(contentType.indexOf('/') + 1);
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="content"; filename="input.${extension}"`,
    `Content-Type: ${contentType}`,
    '',
    '',
  ].join(LINE);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`${LINE}--${boundary}--${LINE}`)]),
  };
}
