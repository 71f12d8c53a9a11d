import { formatFault } from '@image-gateway/shared/catalog/document';
import type { ModelDraft, ModelDraftView } from '@image-gateway/shared/catalog/schema';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { parseInThread } from '../documents/parse-in-thread.js';
import { findVersion } from '../versions.js';

/** Writes a new model with one route into the active document, without applying it. Throws AppError `VALIDATION_ERROR`. */
export async function draftModel(
  db: Pick<Database, 'run'>,
  {
    id,
    name,
    provider,
    model,
    types,
    aspect_ratios,
    max_inputs,
    image_field,
    is_fixed,
    price,
    cost,
  }: ModelDraft,
): Promise<ModelDraftView> {
  const active = await findVersion(db, null);
  const shown = await parseInThread('removeProviders', active.source);
  const drafted =
    typeof shown === 'string'
      ? await parseInThread('addModel', shown, id, {
          ...(name !== null && { name }),
          types,
          price,
          aspect_ratios,
          ...(max_inputs !== null && { max_inputs }),
          routes: [
            {
              provider,
              model,
              cost,
              types,
              ...(max_inputs !== null && { max_inputs }),
              ...(is_fixed && { resolution: 'fixed' }),
              ...(image_field !== null && { options: { image_field } }),
            },
          ],
        })
      : shown;
  if ('faults' in drafted) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: drafted.faults.map(formatFault).join('; ') });
  }
  return { from: active.id, ...drafted };
}
