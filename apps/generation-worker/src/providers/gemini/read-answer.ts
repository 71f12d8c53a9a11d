import type { ProviderFailure } from '../failure-traits.js';
import { asRecord } from '../record-of.js';
import { asRecords } from '../records-of.js';

/** What a good answer by status holds. */
export type GeminiAnswer =
  /** A picture, as base64. */
  | { readonly kind: 'picture'; readonly data: string }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure; readonly text: string };

/** Reasons to end without a picture (ai.google.dev, `FinishReason`); any other one is judged by what came. */
const FAILURE_OF_FINISH: Readonly<Record<string, ProviderFailure>> = {
  SAFETY: 'moderation',
  PROHIBITED_CONTENT: 'moderation',
  BLOCKLIST: 'moderation',
  SPII: 'moderation',
  RECITATION: 'moderation',
  IMAGE_SAFETY: 'moderation',
  IMAGE_PROHIBITED_CONTENT: 'moderation',
  IMAGE_RECITATION: 'moderation',
  NO_IMAGE: 'no-image',
  IMAGE_OTHER: 'no-image',
  OTHER: 'no-image',
  LANGUAGE: 'no-image',
};

/** Finds the picture of an answer with status 200, or why there is none: blocks come with that status too. */
export function readAnswer(value: unknown): GeminiAnswer {
  const { candidates, promptFeedback } = asRecord(value) ?? {};
  const blocked = asRecord(promptFeedback)?.blockReason;
  if (typeof blocked === 'string') {
    return { kind: 'failure', failure: 'moderation', text: `the prompt was blocked: ${blocked}` };
  }
  const candidate = asRecords(candidates)[0];
  if (candidate === undefined)
    return { kind: 'failure', failure: 'bad-response', text: 'there is no candidate' };
  const reason = typeof candidate.finishReason === 'string' ? candidate.finishReason : 'no finish reason';
  const message = typeof candidate.finishMessage === 'string' ? `: ${candidate.finishMessage}` : '';
  const text = `${reason}${message}`;
  const known = Object.hasOwn(FAILURE_OF_FINISH, reason) ? FAILURE_OF_FINISH[reason] : undefined;
  if (known !== undefined) return { kind: 'failure', failure: known, text };
  const data = lastPicture(asRecord(candidate.content)?.parts);
  return data === null ? { kind: 'failure', failure: 'no-image', text } : { kind: 'picture', data };
}

/** Thoughts come with drafts, and some drafts without being called a thought: the last picture is the one. */
function lastPicture(parts: unknown): string | null {
  const pictures = asRecords(parts).flatMap(({ thought, inlineData }) => {
    const data = asRecord(inlineData)?.data;
    return thought !== true && typeof data === 'string' && data !== '' ? [data] : [];
  });
  return pictures.at(-1) ?? null;
}
