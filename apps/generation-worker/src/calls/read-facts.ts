import { LIMITS } from '@image-gateway/shared/contract';
import type { ReportedFacts } from '@image-gateway/shared/db';
import type { SaidFacts } from '../providers/port.js';
import { readUpstreamText } from '../providers/upstream-text.js';

const NUL = /\0/g;

/** Returns what an upstream said about an image, as far as a row may hold it; null for everything else. */
export function readFacts({ seed, quality, revisedPrompt }: SaidFacts = {}): ReportedFacts {
  return {
    seed: Number.isSafeInteger(seed) && Number(seed) >= 0 ? Number(seed) : null,
    quality: readUpstreamText(quality),
    revisedPrompt: readPrompt(revisedPrompt),
  };
}

function readPrompt(text: unknown): string | null {
  // PostgreSQL takes neither NUL nor half a character.
  const kept = typeof text === 'string' ? text.replace(NUL, '').toWellFormed() : '';
  const shown = [...kept].slice(0, LIMITS.promptCharacters).join('');
  return shown === '' ? null : shown;
}
