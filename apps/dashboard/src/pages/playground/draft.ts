import type { Body } from '../../api/paths.js';

/** Fields of the playground form. */
export interface Draft {
  /** Empty: the first one on offer. */
  readonly model: string;
  readonly prompt: string;
  readonly avoid: string;
  readonly ratio: string;
  readonly resolution: string;
  readonly count: number;
  readonly images: readonly string[];
}

/** Empty form. */
export const emptyDraft: Draft = {
  model: '',
  prompt: '',
  avoid: '',
  ratio: '16:9',
  resolution: '1k',
  count: 1,
  images: [],
};

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
