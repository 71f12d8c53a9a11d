import type { Database } from '@image-gateway/shared/db';
import type { InputImage } from '../providers/port.js';
import type { Router } from '../routing/create-router.js';
import { type AdoptDeps, adoptImages } from './adopt-images.js';
import type { Attempt } from './attempt.js';
import { restoreHistory } from './restore-history.js';
import { shapeTask } from './shape-task.js';

/** Dependencies of preparing an attempt. */
export interface PrepareDeps extends AdoptDeps {
  readonly db: Pick<Database, 'run'>;
  readonly router: Pick<Router, 'findMaker' | 'describeCut'>;
}

/**
 * Restores the images and calls that earlier attempts left, and gives an edit the ratio of its first image where its shape
 * follows it. Throws errors of loading the images.
 */
export async function prepareAttempt(
  deps: PrepareDeps,
  attempt: Attempt,
  loadInputs: () => Promise<readonly InputImage[]>,
): Promise<void> {
  const finishInterruptedCalls = await restoreHistory(deps, attempt);
  await adoptImages(deps, attempt);
  await finishInterruptedCalls();
  if (attempt.missingSlots().length > 0 && !attempt.isCanceled) {
    await shapeTask(deps, attempt, loadInputs);
  }
}
