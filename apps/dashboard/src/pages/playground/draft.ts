import type { PlaygroundModel } from '@image-gateway/shared/contract';
import type { Body } from '../../api/paths.js';

/** Input image of the form. */
export interface DraftImage {
  /** Tells images apart, the same one twice too. */
  readonly key: string;
  /** URL or id of a file, as the request names it; null while it is uploaded, or when that failed. */
  readonly entry: string | null;
  /** Address at which this page can show it; null for an image of another host. */
  readonly preview: string | null;
  readonly name: string;
  /** Why its upload failed. */
  readonly error?: string;
}

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
  readonly images: readonly DraftImage[];
  /** Data URL that says what of the first image is drawn anew; null: all of it may change. */
  readonly mask: string | null;
  /** Empty: what the model draws by itself. */
  readonly quality: string;
  /** Empty: a new one each time. */
  readonly seed: string;
  /** Empty: what the upstream sends. */
  readonly format: string;
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
  mask: null,
  quality: '',
  seed: '',
  format: '',
};

/** Makes an input image of an address, such as that of an earlier result. */
export function toDraftImage(url: string, fileUrl: string): DraftImage {
  const isOwn = url.startsWith(`${fileUrl}/`);
  return { key: crypto.randomUUID(), entry: url, preview: isOwn ? url : null, name: url };
}

/** Fits a form to the models on offer: to the chosen one or the first, and to what that takes. */
export function fitDraft(draft: Draft, models: readonly PlaygroundModel[]): Draft {
  const model = models.find(({ id }) => id === draft.model) ?? models[0];
  if (!model) {
    return draft;
  }
  const resolution = Object.hasOwn(model.prices, draft.resolution)
    ? draft.resolution
    : model.default_resolution;
  const images = draft.images.slice(0, model.max_inputs);
  return {
    ...draft,
    model: model.id,
    ratio: model.aspect_ratios.includes(draft.ratio) ? draft.ratio : model.default_aspect_ratio,
    resolution,
    count: Math.min(draft.count, model.max_outputs),
    images,
    mask: model.has_masks && images[0]?.key === draft.images[0]?.key && images.length > 0 ? draft.mask : null,
    quality: Object.hasOwn(model.prices_by_quality[resolution] ?? {}, draft.quality) ? draft.quality : '',
    seed: model.max_seed === null ? '' : draft.seed,
    format: model.output_formats.includes(draft.format) ? draft.format : '',
  };
}

/** Returns the price of one image of a form or a request that fits its model. */
export function getPrice(
  model: PlaygroundModel | undefined,
  request: { readonly resolution?: string | null; readonly quality?: string | null },
): string {
  const resolution = request.resolution ?? model?.default_resolution ?? '';
  const priced = model?.prices_by_quality[resolution] ?? {};
  return priced[request.quality ?? ''] ?? model?.prices[resolution] ?? '$0.00';
}

/** The body of a request as the API takes it. */
export type DraftRequest = Omit<Body<'/generate'>['body'], 'mask'>;

/** Writes a form as a request: what is not filled in is left away. The form offers what the API takes. */
export function buildRequest(draft: Draft): DraftRequest {
  const { model, prompt, avoid, ratio, resolution, count, images, quality, seed, format } = draft;
  const urls = images.flatMap(({ entry }) => entry ?? []);
  return {
    model: model as DraftRequest['model'],
    prompt,
    ...(avoid.trim() !== '' && { negative_prompt: avoid }),
    aspect_ratio: ratio as NonNullable<DraftRequest['aspect_ratio']>,
    resolution: resolution as NonNullable<DraftRequest['resolution']>,
    num_outputs: count,
    ...(urls.length > 0 && { image_urls: urls }),
    ...(quality !== '' && { quality: quality as NonNullable<DraftRequest['quality']> }),
    ...(seed !== '' && { seed: Number(seed) }),
    ...(format !== '' && { output_format: format as NonNullable<DraftRequest['output_format']> }),
  };
}
