/** Why an outbound call failed. */
export type OutboundReason =
  | 'bad-url'
  | 'refused-address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'aborted'
  | 'too-large'
  | 'status'
  | 'redirect'
  | 'broken';

const WORTH_RETRYING: ReadonlySet<OutboundReason> = new Set(['dns', 'connect', 'timeout', 'broken']);

/**
 * A failed outbound call. `sent` says whether the other side may have seen any part of the request: false only
 * when no byte of it can have left. The message names the host at most, never a path, a query or a body.
 */
export class OutboundError extends Error {
  readonly reason: OutboundReason;
  readonly sent: boolean;
  /** The status of the answer, as far as there was one. */
  readonly status: number | undefined;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;

  constructor(
    reason: OutboundReason,
    message: string,
    options: { readonly sent?: boolean; readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OutboundError';
    this.reason = reason;
    this.sent = options.sent ?? false;
    this.status = options.status;
    this.retryable =
      WORTH_RETRYING.has(reason) || (reason === 'status' && isTransientStatus(options.status ?? 0));
  }
}

/** Whether the name servers said that the name does not exist (NXDOMAIN), rather than that they could not tell. */
export function isNameNotFound({ reason, cause }: OutboundError): boolean {
  return reason === 'dns' && cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'ENOTFOUND';
}

function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
