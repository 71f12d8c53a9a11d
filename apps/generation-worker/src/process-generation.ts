import { type Tracing, trace } from '@image-gateway/shared/tracing';
import type { Attempt, AttemptEnd } from './attempt/attempt.js';
import { decideErrorEnd } from './decisions/decide-attempt-end.js';
import type { Candidate } from './providers/port.js';
import type { ClaimTask, OpenAttempt } from './steps/claim.js';
import type { ImageSteps } from './steps/generate.js';
import type { Inputs } from './steps/load-inputs.js';

/** Steps of an attempt. Each is made once, with what it needs. */
export interface GenerationSteps {
  readonly claim: (claimTask: ClaimTask) => Promise<OpenAttempt | null>;
  readonly loadInputs: (attempt: Attempt) => Inputs;
  readonly generate: (attempt: Attempt, images: ImageSteps) => Promise<AttemptEnd>;
  readonly store: (attempt: Attempt, ...stored: Parameters<ImageSteps['storeImage']>) => Promise<void>;
  readonly settle: (attempt: Attempt, end: AttemptEnd) => Promise<void>;
  /** Runs a released task again as soon as one of the candidates has a free permit, if that attempt was its last. */
  readonly awaitPermit: (attempt: Attempt, candidates: readonly Candidate[]) => void;
  readonly tracing: Tracing;
}

/** Runs one attempt of a task: claim, load inputs, generate, store, settle. Does nothing when no task can be claimed. */
export async function processGeneration(
  { claim, loadInputs, generate, store, settle, awaitPermit, tracing }: GenerationSteps,
  claimTask: ClaimTask,
): Promise<void> {
  const startedAt = Date.now();
  const claimed = await claim(claimTask);
  if (claimed === null) {
    return;
  }
  const { attempt, close } = claimed;
  const { id, traceparent: parent } = attempt.task;
  const attributes = { 'gateway.task': id, 'gateway.attempt': attempt.task.attempt };
  tracing.start('claim', { parent, startedAt, attributes }).end();
  let end: AttemptEnd | undefined;
  try {
    const inputs = loadInputs(attempt);
    // Inputs are loaded for the first call, and each image is stored as it arrives.
    end = await generate(attempt, {
      loadInputs: inputs.get,
      storeImage: (...stored) => trace(tracing, 'store', { parent }, () => store(attempt, ...stored)),
    })
      .catch((error: unknown) => decideErrorEnd(attempt, error))
      .finally(inputs.release);
    const ended = end;
    await trace(tracing, 'settle', { parent, attributes: { 'gateway.end': ended.kind } }, () =>
      settle(attempt, ended),
    );
  } finally {
    close();
  }
  if (end.kind === 'release' && end.waitsFor) {
    awaitPermit(attempt, end.waitsFor);
  }
}
