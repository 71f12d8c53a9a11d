import type { FormFieldName, GivenRequest } from '@image-gateway/shared/contract';
import type { PlaygroundModel } from '@image-gateway/shared/task/schema';
import { dollars } from '../../lib/figures.js';

/** Input image of the form. */
export interface DraftImage {
  /** Tells images apart, the same one twice too. */
  readonly key: string;
  /** URL or id of a file, as the request names it; null while it is uploaded, or when that failed. */
  readonly entry: string | null;
  /** Address at which this page can show it; null for an image of another host. */
  readonly preview: string | null;
  readonly name: string;
  /** Width divided by height, once it is known. */
  readonly ratio?: number;
  /** Why its upload failed. */
  readonly error?: string;
}

/** The form of the playground. */
export interface Draft {
  /** Empty: the first one on offer. */
  readonly model: string;
  /** Texts of the fields, as their controls have them; absent or empty: what the model does by itself. */
  readonly fields: Readonly<Partial<Record<FormFieldName, string>>>;
  readonly images: readonly DraftImage[];
  /** Data URL that says what of the first image is drawn anew; null: all of it may change. */
  readonly mask: string | null;
}

/** Empty form. */
export const emptyDraft: Draft = { model: '', fields: {}, images: [], mask: null };

/** The body of a request as the API takes it. */
export type DraftRequest = GivenRequest;

/** Makes an input image of an entry of a request: an image of this gateway, a file, or an address elsewhere. */
export function toDraftImage(entry: string, fileUrl: string): DraftImage {
  const isFile = entry.startsWith('file_');
  const isOwn = entry.startsWith(`${fileUrl}/`);
  return {
    key: crypto.randomUUID(),
    entry,
    preview: isFile ? `/dashboard/api/files/${entry}` : isOwn ? entry : null,
    name: entry,
  };
}

/** Fills the form with a request that was sent. */
export function toDraft(
  request: DraftRequest,
  fileUrl: string,
  models: readonly PlaygroundModel[],
  mask: string | null = null,
): Draft {
  const { model, image_urls: urls = [], ...others } = request;
  const { aspect_ratio: shape } = models.find(({ id }) => id === model)?.fields ?? {};
  const fields = Object.entries(others)
    // The shape that a model draws by itself was not chosen: an edit that follows keeps that of its image.
    .filter(([name, value]) => name !== 'aspect_ratio' || urls.length > 0 || value !== shape?.default)
    .map(([name, value]) => [name, String(value)] as const);
  return {
    model,
    fields: Object.fromEntries(fields),
    images: urls.map((entry) => toDraftImage(entry, fileUrl)),
    mask,
  };
}

/** Fits a form to the models on offer: to the chosen one or the first, and to what that takes. */
export function fitDraft(draft: Draft, models: readonly PlaygroundModel[]): Draft {
  const model = models.find(({ id }) => id === draft.model) ?? models[0];
  if (!model) {
    return draft;
  }
  const images = draft.images.slice(0, model.max_inputs);
  const [first] = images;
  const taken = Object.entries(draft.fields).filter(([name, value]) =>
    isTaken(model, name as FormFieldName, value),
  );
  const { quality = '', ...fields }: Draft['fields'] = Object.fromEntries(taken);
  const fitted = { model: model.id, fields, images, mask: null };
  const hasPrice = listQualities(model, fitted).includes(quality);
  return {
    ...fitted,
    ...(hasPrice && { fields: { ...fields, quality } }),
    mask: model.has_masks && first !== undefined && first.key === draft.images[0]?.key ? draft.mask : null,
  };
}

/** Lists the qualities that can be had at the resolution of a form. */
export function listQualities(model: PlaygroundModel, draft: Draft): readonly string[] {
  return Object.keys(model.prices_by_quality[getValue(model, draft, 'resolution')] ?? {});
}

/** Tells if a control of the model's form can show a text; what is typed is judged when it is sent. */
function isTaken({ fields }: PlaygroundModel, name: FormFieldName, value: string): boolean {
  const field = fields[name];
  if (!field || value === '') {
    return false;
  }
  const choices = listNumbers(field) ?? field.enum;
  return choices === undefined || choices.includes(value);
}

/** Lists the numbers that a field takes, where they are few enough to choose from; undefined for any other field. */
export function listNumbers({
  minimum,
  maximum,
}: NonNullable<PlaygroundModel['fields'][FormFieldName]>): readonly string[] | undefined {
  return minimum === undefined || maximum === undefined || maximum - minimum > 15
    ? undefined
    : Array.from({ length: maximum - minimum + 1 }, (_, index) => String(minimum + index));
}

/** Returns what a field comes to: what was chosen, or what the model does by itself. An edit keeps the shape of its first image. */
export function getValue(model: PlaygroundModel, { fields, images }: Draft, name: FormFieldName): string {
  const chosen = fields[name];
  if (chosen !== undefined && chosen !== '') {
    return chosen;
  }
  const { default: preset = '', enum: choices = [] } = model.fields[name] ?? {};
  const ratio = images[0]?.ratio;
  return name === 'aspect_ratio' && ratio !== undefined ? findNearest(choices, ratio) : String(preset);
}

/** Shapes are compared by how far one is from the other in proportion. */
function findNearest(ratios: readonly string[], ratio: number): string {
  const distance = (text: string): number => Math.abs(Math.log(readRatio(text) / ratio));
  return [...ratios].sort((a, b) => distance(a) - distance(b))[0] ?? '';
}

/** Returns the number of a ratio such as `16:9`. */
export function readRatio(text: string): number {
  const [width = 1, height = 1] = text.split(':').map(Number);
  return width / height;
}

/** Returns the price of what a form asks for, in dollars. */
export function getPrice(model: PlaygroundModel, draft: Draft): number {
  const [resolution, quality, count] = (['resolution', 'quality', 'num_outputs'] as const).map((name) =>
    getValue(model, draft, name),
  ) as [string, string, string];
  const price = model.prices_by_quality[resolution]?.[quality] ?? model.prices[resolution] ?? '$0.00';
  return dollars(price) * Number(count || 1);
}

/** Writes a form as a request: what is not filled in is left away, unless the model has a default for it. */
export function buildRequest(model: PlaygroundModel, draft: Draft): DraftRequest {
  const given = Object.entries(model.fields).flatMap(([name, { type }]) => {
    const value = getValue(model, draft, name as FormFieldName);
    const isGiven = name === 'prompt' || value.trim() !== '';
    return isGiven ? [[name, type === 'integer' ? Number(value) : value] as const] : [];
  });
  const urls = draft.images.flatMap(({ entry }) => entry ?? []);
  return {
    model: model.id,
    prompt: '',
    ...Object.fromEntries(given),
    ...(urls.length > 0 && { image_urls: urls }),
  };
}
