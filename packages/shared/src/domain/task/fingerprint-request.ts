import { createHash } from 'node:crypto';
import type { GivenRequest } from '../contract/index.js';
import { TASK_FIELD_NAMES, TASK_FIELDS } from './fields.js';

/** Fingerprints a body (SHA-256, 32 bytes) with the defaults of the specification, whatever the catalog says by now. */
export function fingerprintRequest(request: GivenRequest): Buffer {
  const values = TASK_FIELD_NAMES.map((name) => request[name] ?? TASK_FIELDS[name].fingerprint);
  return createHash('sha256').update(JSON.stringify(values)).digest();
}
