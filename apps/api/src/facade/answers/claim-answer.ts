import type { Accepted } from '@image-gateway/shared/billing';

/** Request that is about to submit a task and to wait for its images. */
export interface AnswerOrder {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** SHA-256 of the request. */
  readonly fingerprint: Buffer;
  /** `X-Stainless-Retry-Count`; 0 when absent. */
  readonly retryCount: number;
  readonly idempotencyKey?: string;
  /** Holds the price and inserts the task, or replays an idempotency key. Throws AppError. */
  readonly submit: () => Promise<Accepted>;
  /** Aborted when the connection or the response has ended. */
  readonly closed: AbortSignal;
  /** Time that the request may wait, in milliseconds. */
  readonly waitMs: number;
}

/** Task whose images a request gets. */
export interface AnswerClaim extends Pick<Accepted, 'task' | 'replayed'> {
  /** Called once when the response has ended: true if the whole answer was handed to the connection. */
  readonly finish: (isDelivered: boolean) => void;
}

/** Gets a task for a request. Throws AppError. */
export type ClaimAnswer = (order: AnswerOrder) => Promise<AnswerClaim>;

/** Dependencies of claims. */
export interface AnswerClaimDeps {
  /** Called at the end of each claimed answer. */
  readonly onFinish: (isDelivered: boolean) => void;
}

/** Creates the claims of a process. */
export function createAnswerClaims({ onFinish }: AnswerClaimDeps): ClaimAnswer {
  return async ({ submit }) => {
    const { task, replayed } = await submit();
    return { task, replayed, finish: onFinish };
  };
}
