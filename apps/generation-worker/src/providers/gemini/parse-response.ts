import type { ProviderFailure } from '../failures.js';
import { asRecord, asRecords } from '../http/json-decoder.js';
import type { TokenUsage } from '../port.js';

/** Content of a response with status 200. */
export type GeminiContent =
  /** Image as base64. */
  | { readonly kind: 'image'; readonly data: string }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure; readonly text: string };

/** Reasons to finish without an image (ai.google.dev, `FinishReason`); any other one depends on the content. */
const FAILURES_BY_FINISH: Readonly<Record<string, ProviderFailure>> = {
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

/** Parses a response with status 200: its image, or why there is none, since blocked prompts have that status too. */
export function parseResponse(value: unknown): GeminiContent {
  const { candidates, promptFeedback } = asRecord(value) ?? {};
  const blocked = asRecord(promptFeedback)?.blockReason;
  if (typeof blocked === 'string') {
    return { kind: 'failure', failure: 'moderation', text: `the prompt was blocked: ${blocked}` };
  }
  const candidate = asRecords(candidates)[0];
  if (candidate === undefined) {
    return { kind: 'failure', failure: 'bad-response', text: 'there is no candidate' };
  }
  const reason = typeof candidate.finishReason === 'string' ? candidate.finishReason : 'no finish reason';
  const message = typeof candidate.finishMessage === 'string' ? `: ${candidate.finishMessage}` : '';
  const text = `${reason}${message}`;
  const known = Object.hasOwn(FAILURES_BY_FINISH, reason) ? FAILURES_BY_FINISH[reason] : undefined;
  if (known !== undefined) {
    return { kind: 'failure', failure: known, text };
  }
  const data = findLastImage(asRecord(candidate.content)?.parts);
  return data === null ? { kind: 'failure', failure: 'no-image', text } : { kind: 'image', data };
}

/** Returns the tokens of a response; what has no modality is text on the way in, and an image on the way out. */
export function readUsage(value: unknown): TokenUsage {
  const usage = asRecord(asRecord(value)?.usageMetadata) ?? {};
  const sum = (details: unknown, isImage: boolean): number =>
    asRecords(details)
      .filter(({ modality }) => (modality === 'IMAGE') === isImage)
      .reduce((all, { tokenCount }) => all + toCount(tokenCount), 0);
  const imageIn = sum(usage.promptTokensDetails, true);
  const textOut = sum(usage.candidatesTokensDetails, false);
  return {
    imageIn,
    textIn: Math.max(0, toCount(usage.promptTokenCount) - imageIn),
    textOut: textOut + toCount(usage.thoughtsTokenCount),
    imageOut: Math.max(0, toCount(usage.candidatesTokenCount) - textOut),
  };
}

const toCount = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Returns the last image: thoughts contain drafts, and some drafts are not marked as thoughts. */
function findLastImage(parts: unknown): string | null {
  const images = asRecords(parts).flatMap(({ thought, inlineData }) => {
    const data = asRecord(inlineData)?.data;
    return thought !== true && typeof data === 'string' && data !== '' ? [data] : [];
  });
  return images.at(-1) ?? null;
}
