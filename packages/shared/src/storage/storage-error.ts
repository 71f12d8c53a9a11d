import { AppError } from '../errors/index.js';

/**
 * `timeout` no answer in time · `unreachable` no connection, or it was cut · `refused` credentials or rights ·
 * `no-bucket` the bucket does not exist · `answer` an error or nonsense came back · `too-large` and `range` what was
 * asked for does not fit the object · `request` no request can be made of it (a name that no bucket can have).
 */
export type StorageFault =
  | 'timeout'
  | 'unreachable'
  | 'refused'
  | 'no-bucket'
  | 'answer'
  | 'too-large'
  | 'range'
  | 'request';

/** What a storage error carries for the log and for the doctor. */
export interface StorageErrorFacts {
  readonly fault: StorageFault;
  readonly message: string;
  /** The HTTP status, when there was an answer. */
  readonly status?: number | undefined;
  /** The error code of the S3 protocol or of the socket, when there was one. */
  readonly serverCode?: string | undefined;
  readonly cause?: unknown;
}

/** The object store did not do what it was asked; retryable unless the request itself cannot be met. */
export class StorageError extends AppError {
  readonly fault: StorageFault;
  readonly status: number | undefined;
  readonly serverCode: string | undefined;

  constructor(facts: StorageErrorFacts) {
    const retryable = !['too-large', 'range', 'request'].includes(facts.fault);
    super('INTERNAL_ERROR', { message: `object store: ${facts.message}`, retryable, cause: facts.cause });
    this.name = 'StorageError';
    this.fault = facts.fault;
    this.status = facts.status;
    this.serverCode = facts.serverCode;
  }
}
