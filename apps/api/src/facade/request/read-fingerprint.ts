import { hash } from 'node:crypto';
import type { ImageFields } from './read-image-fields.js';

/** Everything that makes two requests equal. */
export interface FingerprintFields {
  /** Path of the route. */
  readonly path: string;
  readonly fields: ImageFields;
  /** Hexadecimal SHA-256 of each upload, or the URL of an input image, in order. */
  readonly inputs: readonly string[];
}

/** Returns the SHA-256 (32 bytes) over everything that the facade understands of a request. Fields added later enter it only where they are given. */
export function readFingerprint({ path, fields, inputs }: FingerprintFields): Buffer {
  const canonical = JSON.stringify([
    path,
    fields.model ?? null,
    fields.prompt,
    fields.n,
    fields.size ?? null,
    fields.aspect_ratio ?? null,
    fields.resolution ?? null,
    fields.response_format,
    fields.stream,
    fields.async,
    fields.user ?? null,
    inputs,
    ...(fields.negative_prompt === undefined ? [] : [{ negative_prompt: fields.negative_prompt }]),
  ]);
  return hash('sha256', canonical, 'buffer');
}
