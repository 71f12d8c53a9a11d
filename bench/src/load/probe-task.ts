import { setTimeout as sleep } from 'node:timers/promises';

/** Times of one task as its client sees them, in milliseconds. */
export interface ProbeTimes {
  readonly submit: number;
  /** Slowest of its polls. */
  readonly poll: number;
  /** From the submission until a poll said that it has ended. */
  readonly end: number;
  /** From the submission until its webhook came. */
  readonly webhook: number;
}

/** Client of the API, and what it submits. */
export interface Probe {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookUrl: string;
  /** Settles when the webhook of a task has come. */
  readonly awaitWebhook: (taskId: string) => Promise<unknown>;
}

const POLL_EVERY_MS = 20;

/** Submits one task, polls it to its end and waits for its webhook; rejects when a request is refused. */
export async function probeTask({ url, apiKey, webhookUrl, awaitWebhook }: Probe): Promise<ProbeTimes> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}): Promise<{ id: string; status: string }> => {
    const answer = await fetch(url + path, { ...init, headers });
    const { data } = (await answer.json()) as { data?: { id: string; status: string } };
    if (!answer.ok || data === undefined) {
      throw new Error(`${path} answered ${answer.status}`);
    }
    return data;
  };
  const from = performance.now();
  const body = { model: 'nanobanana', prompt: 'sandbox:fixed', webhook_url: webhookUrl };
  const { id } = await ask('/v1/generate', { method: 'POST', body: JSON.stringify(body) });
  const submit = performance.now() - from;
  for (let poll = 0; ; await sleep(POLL_EVERY_MS)) {
    const begun = performance.now();
    const { status } = await ask(`/v1/tasks/${id}`);
    poll = Math.max(poll, performance.now() - begun);
    if (status === 'pending') {
      continue;
    }
    const end = performance.now() - from;
    await awaitWebhook(id);
    return { submit, poll, end, webhook: performance.now() - from };
  }
}
