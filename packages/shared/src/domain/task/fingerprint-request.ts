import { hash } from 'node:crypto';
import type { GivenRequest } from '../contract/index.js';
import { ADDED_NAMES, BODY_NAMES, TASK_FIELDS } from './fields.js';

/**
 * Fingerprint (SHA-256, 32 bytes each) of a request. Two requests are equal when both parts are. Rows of releases that did not know the
 * added fields have the first part only, and are compared by it.
 */
export interface RequestFingerprint {
  readonly first: Buffer;
  /** Over the fields that were added later. */
  readonly added: Buffer;
}

/** Fingerprints a body with the defaults of the specification, whatever the catalog says by now. */
export function fingerprintRequest(request: GivenRequest): RequestFingerprint {
  const names = BODY_NAMES.filter((name) => !ADDED_NAMES.includes(name));
  const added = ADDED_NAMES.filter((name) => request[name] !== undefined);
  return {
    first: digest(names.map((name) => request[name] ?? TASK_FIELDS[name].fingerprint)),
    added: digest(added.map((name) => [name, request[name]])),
  };
}

function digest(values: readonly unknown[]): Buffer {
  return hash('sha256', JSON.stringify(values), 'buffer');
}
