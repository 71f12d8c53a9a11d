import { hash } from 'node:crypto';
import type { RequestFingerprint } from '@image-gateway/shared/task';
import { ADDED_FIELDS, type ImageFields } from './read-image-fields.js';

/** Everything that makes two requests equal. */
export interface FingerprintFields {
  /** Path of the route. */
  readonly path: string;
  readonly fields: ImageFields;
  /** Hexadecimal SHA-256 of each upload, or the URL of an input image, in order. */
  readonly inputs: readonly string[];
  /** The same of the mask. */
  readonly mask?: string | undefined;
}

/**
 * Fingerprints everything that the facade understands of a request. Its first part is as in the releases before it; later
 * fields enter it only where they are given. Fields that those releases ignored are in the second part.
 */
export function readFingerprint({ path, fields, inputs, mask }: FingerprintFields): RequestFingerprint {
  // Earlier releases refused these two.
  const background = fields.background === 'transparent' ? fields.background : undefined;
  const later = { negative_prompt: fields.negative_prompt, mask, background };
  const first = [
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
    ...(Object.values(later).some((value) => value !== undefined) ? [later] : []),
  ];
  const added = ADDED_FIELDS.filter((name) => fields[name] !== undefined);
  return { first: digest(first), added: digest(added.map((name) => [name, fields[name]])) };
}

function digest(values: readonly unknown[]): Buffer {
  return hash('sha256', JSON.stringify(values), 'buffer');
}
