import { ProviderError, type ProviderFailure } from '../failures.js';
import { quoteUpstream } from '../http/error-response.js';
import {
  ANY,
  COUNT,
  entries,
  list,
  loose,
  needed,
  readLoosely,
  readShape,
  type Shape,
  TEXT,
} from '../http/read-shape.js';
import type { ProviderKey, TokenUsage } from '../port.js';

/** Image of a response, as base64. */
export interface GeminiImage {
  readonly data: string;
  readonly upstreamId: unknown;
}

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

const part = needed({ thought: ANY, inlineData: loose({ data: TEXT }) });
const responseSchema = loose({ responseId: ANY, promptFeedback: loose({ blockReason: TEXT }) });
const candidatesSchema = needed({
  candidates: entries(
    needed({ finishReason: TEXT, finishMessage: TEXT, content: loose({ parts: list(part) }) }),
  ).min(1),
});
const counts = list(needed({ modality: TEXT, tokenCount: COUNT }));
const usageSchema = loose({
  usageMetadata: loose({
    promptTokenCount: COUNT,
    promptTokensDetails: counts,
    candidatesTokenCount: COUNT,
    candidatesTokensDetails: counts,
    thoughtsTokenCount: COUNT,
  }),
});

/**
 * Returns the image of a response with status 200. Throws ProviderError for why there is none, since blocked prompts have that
 * status too.
 */
export function parseResponse(value: unknown, key: ProviderKey | null): GeminiImage {
  const { responseId: upstreamId, promptFeedback } = readLoosely(responseSchema, value);
  const fail = (failure: ProviderFailure, text: string): ProviderError =>
    new ProviderError(failure, `Gemini: ${quoteUpstream(text, key)}`, { upstreamId });
  if (promptFeedback.blockReason !== '') {
    throw fail('moderation', `the prompt was blocked: ${promptFeedback.blockReason}`);
  }
  const { candidates } = readShape(candidatesSchema, value, { upstream: 'Gemini', upstreamId });
  const { finishReason: reason = '', finishMessage = '', content } = candidates[0] ?? {};
  const text = [reason || 'no finish reason', finishMessage].filter((one) => one !== '').join(': ');
  const known = Object.hasOwn(FAILURES_BY_FINISH, reason) ? FAILURES_BY_FINISH[reason] : undefined;
  if (known !== undefined) {
    throw fail(known, text);
  }
  // The last one: thoughts contain drafts, and some drafts are not marked as thoughts.
  const image = content?.parts.findLast(
    ({ thought, inlineData }) => thought !== true && inlineData.data !== '',
  );
  if (image === undefined) {
    throw fail('no-image', text);
  }
  return { data: image.inlineData.data, upstreamId };
}

/** Returns the tokens of a response; what has no modality is text on the way in, and an image on the way out. */
export function readUsage(value: unknown): TokenUsage {
  const { usageMetadata: usage } = readLoosely(usageSchema, value);
  const sum = (details: Shape<typeof counts>, isImage: boolean): number =>
    details
      .filter(({ modality }) => (modality === 'IMAGE') === isImage)
      .reduce((all, { tokenCount }) => all + tokenCount, 0);
  const imageIn = sum(usage.promptTokensDetails, true);
  const textOut = sum(usage.candidatesTokensDetails, false);
  return {
    imageIn,
    textIn: Math.max(0, usage.promptTokenCount - imageIn),
    textOut: textOut + usage.thoughtsTokenCount,
    imageOut: Math.max(0, usage.candidatesTokenCount - textOut),
  };
}
