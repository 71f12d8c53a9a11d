import { type Tracing, trace } from '@image-gateway/shared/tracing';
import type { AttemptEnd } from './attempt/attempt.js';
import { decideErrorEnd } from './decisions/decide-attempt-end.js';
import { type AttemptDeps, type ClaimTask, claim } from './steps/claim.js';
import { type GenerateDeps, generate } from './steps/generate.js';
import { type InputsDeps, loadInputs } from './steps/load-inputs.js';
import { type AttemptSettleDeps, settle } from './steps/settle.js';
import { type StoreDeps, store } from './steps/store.js';

/** Dependencies of processing a task. */
export interface ProcessDeps extends AttemptDeps, InputsDeps, GenerateDeps, StoreDeps, AttemptSettleDeps {
  readonly db: AttemptSettleDeps['db'];
  readonly store: GenerateDeps['store'] & InputsDeps['store'] & StoreDeps['store'];
  readonly storeGate: GenerateDeps['storeGate'];
  /** Runs a task that waits for a permit, if that attempt was its last. */
  readonly wake: (taskId: string, attempt: number) => Promise<void>;
  readonly tracing: Tracing;
  readonly metrics: GenerateDeps['metrics'] & StoreDeps['metrics'] & AttemptSettleDeps['metrics'];
}

/** Runs one attempt of a task: claim, load inputs, generate, store, settle. Does nothing when no task can be claimed. */
export async function processGeneration(deps: ProcessDeps, claimTask: ClaimTask): Promise<void> {
  const startedAt = Date.now();
  const claimed = await claim(deps, claimTask);
  if (claimed === null) {
    return;
  }
  const { attempt, close } = claimed;
  const { id, traceparent: parent } = attempt.task;
  const attributes = { 'gateway.task': id, 'gateway.attempt': attempt.task.attempt };
  deps.tracing.start('claim', { parent, startedAt, attributes }).end();
  let end: AttemptEnd | undefined;
  try {
    const inputs = loadInputs(deps, attempt);
    // Inputs are loaded for the first call, and each image is stored as it arrives.
    end = await generate(deps, attempt, {
      loadInputs: inputs.get,
      storeImage: (image, slot) =>
        trace(deps.tracing, 'store', { parent }, () => store(deps, attempt, image, slot)),
    })
      .catch((error: unknown) => decideErrorEnd(attempt, error))
      .finally(inputs.release);
    const ended = end;
    await trace(deps.tracing, 'settle', { parent, attributes: { 'gateway.end': ended.kind } }, () =>
      settle(deps, attempt, ended),
    );
  } finally {
    close();
  }
  if (end.kind === 'release' && end.waitsFor) {
    deps.health.permits.wait(end.waitsFor, attempt.task, (number) => deps.wake(attempt.task.id, number));
  }
}
