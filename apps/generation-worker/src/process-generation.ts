import type { Attempt, AttemptEnd } from './attempt/attempt.js';
import { type AttemptDeps, type Claim, openAttempt } from './attempt/open-attempt.js';
import { decideErrorEnd } from './decisions/decide-error-end.js';
import { createInputs, type InputsDeps } from './inputs/create-inputs.js';
import type { Router } from './routing/create-router.js';
import { type AdoptDeps, adoptImages } from './steps/adopt.js';
import { type EndDeps, endAttempt } from './steps/end-attempt.js';
import { type GenerateDeps, generate } from './steps/generate.js';
import { restoreHistory } from './steps/read-known.js';

/** All that processing a task needs. */
export interface ProcessDeps extends AttemptDeps, AdoptDeps, GenerateDeps, EndDeps, InputsDeps {
  readonly db: EndDeps['db'];
  readonly store: AdoptDeps['store'] & InputsDeps['store'];
  readonly metrics: GenerateDeps['metrics'] & EndDeps['metrics'];
  readonly router: Router;
}

/** Runs one attempt of a claimed task to its end: the task is settled, given back, or left to whoever it belongs to now. */
export async function processGeneration(deps: ProcessDeps, claim: Claim): Promise<void> {
  const { attempt, close } = openAttempt(deps, claim);
  try {
    const end = await work(deps, attempt);
    await endAttempt(deps, attempt, end);
  } finally {
    close();
  }
}

async function work(deps: ProcessDeps, attempt: Attempt): Promise<AttemptEnd> {
  const inputs = createInputs(deps, attempt);
  try {
    const candidates = deps.router.listCandidates(attempt.task);
    await restoreHistory(deps, attempt, deps.router);
    await adoptImages(deps, attempt);
    return await generate(deps, attempt, {
      candidates,
      resumeWith: deps.router.findMaker,
      loadInputs: inputs.load,
    });
  } catch (error) {
    return decideErrorEnd(attempt, error);
  } finally {
    inputs.drop();
  }
}
