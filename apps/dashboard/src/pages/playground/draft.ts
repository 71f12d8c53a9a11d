import type { PlaygroundModel } from '@image-gateway/shared/contract';
import type { Body } from '../../api/paths.js';

/** Fields of the playground form. */
export interface Draft {
  /** Empty: the first one on offer. */
  readonly model: string;
  readonly prompt: string;
  readonly avoid: string;
  /** Empty: the default of the model. */
  readonly ratio: string;
  /** Empty: the default of the model. */
  readonly resolution: string;
  readonly count: number;
  readonly images: readonly string[];
}

/** Empty form. */
export const emptyDraft: Draft = {
  model: '',
  prompt: '',
  avoid: '',
  ratio: '',
  resolution: '',
  count: 1,
  images: [],
};

/** Fits a form to the models on offer: to the chosen one or the first, and to what that takes. */
export function fitDraft(draft: Draft, models: readonly PlaygroundModel[]): Draft {
  const model = models.find(({ id }) => id === draft.model) ?? models[0];
  if (!model) {
    return draft;
  }
  return {
    ...draft,
    model: model.id,
    ratio: model.aspect_ratios.includes(draft.ratio) ? draft.ratio : model.default_aspect_ratio,
    resolution: Object.hasOwn(model.prices, draft.resolution) ? draft.resolution : model.default_resolution,
    count: Math.min(draft.count, model.max_outputs),
    images: draft.images.slice(0, model.max_inputs),
  };
}

/** The body of a request as the API takes it. */
export type DraftRequest = Body<'/generate'>['body'];

/** Writes a form as a request: what is not filled in is left away. The form offers what the API takes. */
export function buildRequest({
  model,
  prompt,
  avoid,
  ratio,
  resolution,
  count,
  images,
}: Draft): DraftRequest {
  return {
    model: model as DraftRequest['model'],
    prompt,
    ...(avoid.trim() !== '' && { negative_prompt: avoid }),
    aspect_ratio: ratio as NonNullable<DraftRequest['aspect_ratio']>,
    resolution: resolution as NonNullable<DraftRequest['resolution']>,
    num_outputs: count,
    ...(images.length > 0 && { image_urls: images }),
  };
}
