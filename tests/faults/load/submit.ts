import { setTimeout as sleep } from 'node:timers/promises';
import { callHttp } from './http-client.js';
import type { Submission, Wish } from './submission.js';

/** Credentials and addresses for submissions. */
export interface Submitter {
  readonly apiKey: string;
  readonly urls: readonly string[];
  /** Time for retries of a request with an idempotency key while its outcome is unknown, in milliseconds. */
  readonly retryTimeoutMs: number;
}

const PAUSE_MS = 100;
let turn = 0;

/** Submits one request; with an idempotency key it is retried until its outcome is known or the retry timeout ends. */
export async function submit(
  { apiKey, urls, retryTimeoutMs }: Submitter,
  { requestId, idempotencyKey, wish }: Pick<Submission, 'requestId' | 'idempotencyKey'> & { wish: Wish },
): Promise<Submission> {
  const submission: Submission = {
    requestId,
    idempotencyKey,
    wish,
    taskId: null,
    slowestMs: 0,
    calls: 0,
    outcome: 'unknown',
    answer: 'none',
  };
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
  };
  const body = JSON.stringify({ model: 'nanobanana', ...wish });
  const until = Date.now() + retryTimeoutMs;
  for (;;) {
    turn += 1;
    const url = `${urls[turn % urls.length]}/v1/generate`;
    const begun = performance.now();
    submission.calls += 1;
    try {
      const answer = await callHttp({ url, method: 'POST', headers, body });
      submission.answer = String(answer.status);
      if (answer.status === 202) {
        const { data } = JSON.parse(answer.body.toString()) as { data: { id: string } };
        submission.taskId = data.id;
        submission.outcome = 'accepted';
      } else if (answer.status < 500) {
        submission.outcome = 'refused';
      }
    } catch (error) {
      submission.answer = (error as { code?: string }).code ?? String(error);
    }
    submission.slowestMs = Math.max(submission.slowestMs, performance.now() - begun);
    if (submission.outcome !== 'unknown' || idempotencyKey === null || Date.now() > until) {
      return submission;
    }
    await sleep(PAUSE_MS);
  }
}
