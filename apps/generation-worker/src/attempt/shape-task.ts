import { findNearestRatio } from '@image-gateway/shared/catalog/document';
import { type Database, setShape } from '@image-gateway/shared/db';
import type { InputImage } from '../providers/port.js';
import type { Attempt } from './attempt.js';
import { persist } from './persist.js';

/** Dependencies of shaping. */
export interface ShapeDeps {
  readonly db: Pick<Database, 'run'>;
}

/**
 * Sets the ratio of an edit whose shape follows its first image, which is upright by now. Does nothing where the ratio stands.
 * Throws errors of loading the images.
 */
export async function shapeTask(
  { db }: ShapeDeps,
  attempt: Pick<Attempt, 'task' | 'log' | 'signal' | 'recordShape'>,
  loadInputs: () => Promise<readonly InputImage[]>,
): Promise<void> {
  const { id, attempt: number, shapeRatios } = attempt.task;
  const [first, ...others] = shapeRatios ?? [];
  if (first === undefined) {
    return;
  }
  const [image] = await loadInputs();
  if (image) {
    const aspectRatio = findNearestRatio([first, ...others], image.width / image.height);
    await persist(() => setShape(db, { taskId: id, attempt: number, aspectRatio }), attempt);
    attempt.recordShape(aspectRatio);
  }
}
