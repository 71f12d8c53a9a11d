import { createHash } from 'node:crypto';
import { readUpstreamText } from '../../../src/providers/upstream-text.js';
import type { Collected } from './collect-events.js';
import { describeFailure } from './describe-failure.js';
import type { Expected } from './fixture.js';

const MAGIC = [
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ff'],
  ['image/webp', '52494646'],
] as const;

/**
 * Describes the outcome of a call in the fixtures' words, with the properties that `expected` names:
 * `expect(describeOutcome(collected, expected)).toEqual(wanted(expected))`.
 */
export function describeOutcome({ events, error }: Collected, expected: Expected): Partial<Expected> {
  const images = events.flatMap((event) => (event.type === 'image' ? [event.bytes] : []));
  const id = events.find((event) => event.type === 'job' || event.type === 'upstream-id')?.id;
  const parked = events.some(({ type }) => type === 'park');
  const all: Expected = {
    outcome: error ? 'failure' : parked ? 'pending' : 'success',
    images: images.length,
    mimes: images.map(detectMime),
    sha256: images.map((bytes) => createHash('sha256').update(bytes).digest('hex')),
    providerRequestId: error?.upstreamId ?? readUpstreamText(id) ?? '',
    retryAfterMs: error?.retryAfterMs ?? null,
    alert: false,
    ambiguous: false,
    ...(error && describeFailure(error.failure)),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in wanted(expected)));
}

/** Returns the compared part of an expectation; by default a fixture expects neither an alert nor an unknown outcome. */
export function wanted(expected: Expected): Partial<Expected> {
  const { outcome, images, mimes, sha256, providerRequestId, errorClass, retryAfterMs } = expected;
  const { retrySame, failover, circuit, alert = false, ambiguous = false } = expected;
  const named = { outcome, images, mimes, sha256, providerRequestId, errorClass, retryAfterMs };
  const all = { ...named, retrySame, failover, circuit, alert, ambiguous };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function detectMime(bytes: Buffer): string {
  return MAGIC.find(([, start]) => bytes.toString('hex').startsWith(start))?.[0] ?? 'unknown';
}
