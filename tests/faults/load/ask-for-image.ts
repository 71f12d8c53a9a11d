import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callHttp } from './http-client.js';
import type { Submission } from './submission.js';

/** Client of the OpenAI-compatible facade. */
export interface ImageClient {
  readonly apiKey: string;
  readonly urls: readonly string[];
  /** Returns the time after which an attempt breaks its connection off, in milliseconds. */
  readonly drawTimeoutMs: (attempt: number) => number;
  /** Returns the pause before the next attempt, in milliseconds. */
  readonly drawPauseMs: () => number;
}

/** Outcome of a request for an image. */
export interface AskedImage extends Submission {
  /** Hexadecimal SHA-256 of the image that the client holds. */
  sha256: string | null;
  /** Attempts without a whole answer. */
  broken: number;
}

const MAX_ATTEMPTS = 200;
let turn = 0;

/** Asks for an image and repeats the request until it is answered, at each API in turn, as the SDKs of OpenAI do. */
export async function askForImage(
  { apiKey, urls, drawTimeoutMs, drawPauseMs }: ImageClient,
  { requestId, prompt }: { readonly requestId: string; readonly prompt: string },
): Promise<AskedImage> {
  // How long an answer takes says nothing here: it waits for the image.
  const asked: AskedImage = {
    requestId,
    idempotencyKey: null,
    wish: { prompt },
    taskId: null,
    slowestMs: 0,
    calls: 0,
    outcome: 'unknown',
    answer: 'none',
    sha256: null,
    broken: 0,
  };
  const body = JSON.stringify({ model: 'gpt-image-1', prompt });
  for (let attempt = 0; attempt < MAX_ATTEMPTS && asked.outcome === 'unknown'; attempt += 1) {
    turn += 1;
    asked.calls += 1;
    try {
      const {
        status,
        headers,
        body: answer,
      } = await callHttp({
        url: `${urls[turn % urls.length]}/openai/v1/images/generations`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'x-request-id': requestId,
          'x-stainless-retry-count': String(attempt),
        },
        body,
        timeoutMs: drawTimeoutMs(attempt),
      });
      asked.answer = String(status);
      if (status === 200) {
        const { data } = JSON.parse(answer.toString()) as { data: { b64_json: string }[] };
        const image = Buffer.from(data[0]?.b64_json ?? '', 'base64');
        asked.sha256 = createHash('sha256').update(image).digest('hex');
        asked.taskId = String(headers['x-gateway-task-id']);
        asked.outcome = 'accepted';
      } else if (status !== 503) {
        asked.outcome = 'refused';
      }
    } catch (error) {
      asked.broken += 1;
      asked.answer = (error as { code?: string }).code ?? String(error);
    }
    if (asked.outcome === 'unknown') {
      await sleep(drawPauseMs());
    }
  }
  return asked;
}
