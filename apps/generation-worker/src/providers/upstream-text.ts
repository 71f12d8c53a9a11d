import { LIMITS } from '@image-gateway/shared/contract';
import type { ReportedFacts } from '@image-gateway/shared/db';

const VISIBLE = /^[\x21-\x7e]{1,200}$/;
const JOB_ID = /^[\w-]{1,200}$/;
const NUL = /\0/g;

/** Returns an id or short text of an upstream with 1 to 200 visible ASCII characters; null for anything else, which no row should hold. */
export function readUpstreamText(value: unknown): string | null {
  return typeof value === 'string' && VISIBLE.test(value) ? value : null;
}

/** Returns the id of a job if it can stand in a path; null for anything else. */
export function readJobId(value: unknown): string | null {
  return typeof value === 'string' && JOB_ID.test(value) ? value : null;
}

/** Facts about an image as its upstream reported them, unchecked. */
export type SaidFacts = { readonly [Name in keyof ReportedFacts]?: unknown };

/**
 * Returns what an upstream said about an image, as far as a row may hold it; null for everything else. The words that it was
 * `sent` are no news.
 */
export function readFacts(
  { seed, quality, revisedPrompt }: SaidFacts = {},
  sent: readonly string[] = [],
): ReportedFacts {
  return {
    seed: Number.isSafeInteger(seed) && Number(seed) >= 0 ? Number(seed) : null,
    quality: readUpstreamText(quality),
    revisedPrompt: readPrompt(revisedPrompt, sent),
  };
}

function readPrompt(text: unknown, sent: readonly string[]): string | null {
  // PostgreSQL takes neither NUL nor half a character.
  const kept = typeof text === 'string' ? text.replace(NUL, '').toWellFormed() : '';
  const shown = [...kept].slice(0, LIMITS.promptCharacters).join('');
  const isSent = sent.some((one) => one.trim() === kept.trim());
  return shown === '' || isSent ? null : shown;
}
