import type { Wishes } from '@image-gateway/shared/contract';
import type { TaskRow } from '@image-gateway/shared/db';
import { ACCEPTS_NOTHING, type RouteAccepts } from '@image-gateway/shared/upstreams';
import type { RequestFields, RouteTerms } from '../providers/port.js';

/** Properties of a task that decide which optional fields a call has. */
export type FieldTask = Pick<
  TaskRow,
  'type' | 'negativePrompt' | 'quality' | 'seed' | 'outputFormat' | 'background' | 'mask' | 'wishes'
>;

/** Name of an optional field in a request. */
export type FieldName = keyof RequestFields;

/** Optional fields of one call. */
export interface ChosenFields {
  /** All but the mask, whose image is loaded with the inputs. */
  readonly fields: Omit<RequestFields, 'mask'>;
  /** Names of the wishes that the call leaves out, as the customer wrote them. */
  readonly unused: readonly string[];
}

/** Returns true where the upstream of the route has refused a field with a value, by its name. */
export type IsRefused = (name: FieldName, value: unknown) => boolean;

/** Terms of a route about which nothing is known, as that of a job whose route is gone. */
export const NO_TERMS: RouteTerms = { accepts: ACCEPTS_NOTHING, quality: null, wishedQualities: [] };
const WITH_COMPRESSION: readonly unknown[] = ['jpeg', 'webp'];

/**
 * Chooses the optional fields of the call that draws a slot, out of the needs and wishes of its task. Null where the route does not take a
 * need.
 */
export function chooseFields(
  task: FieldTask,
  terms: RouteTerms,
  slot: number,
  isRefused: IsRefused = () => false,
): ChosenFields | null {
  const { accepts } = terms;
  const needs = readNeeds(task, accepts, slot);
  const lacks = needs.some(([name, value]) => !isTaken(task, terms, [name, value]) || isRefused(name, value));
  if (lacks || (task.mask !== null && (!accepts.mask || isRefused('mask', task.mask)))) {
    return null;
  }
  const fields: Partial<Record<FieldName, unknown>> = Object.fromEntries(needs);
  const unused: string[] = [];
  for (const [wish, name, value] of readWishes(task, accepts, slot)) {
    const chosen = { ...terms, accepts: { ...accepts, quality: terms.wishedQualities } };
    const isUsed =
      value !== null && isTaken(task, chosen, [name, value], fields.outputFormat) && !isRefused(name, value);
    if (isUsed) {
      fields[name] = value;
    } else {
      unused.push(wish);
    }
  }
  // An upstream without transparency draws opaque images without being asked, and may not know the field.
  if (fields.background === 'opaque' && !accepts.background.includes('transparent')) {
    delete fields.background;
  }
  const { negativePrompt } = task;
  if (negativePrompt !== null && accepts.negativePrompt && !isRefused('negativePrompt', negativePrompt)) {
    fields.negativePrompt = negativePrompt;
  }
  const own = terms.quality;
  if (
    fields.quality === undefined &&
    own !== null &&
    accepts.quality.includes(own) &&
    !isRefused('quality', own)
  ) {
    fields.quality = own;
  }
  return { fields: fields as ChosenFields['fields'], unused };
}

/** Returns true where a route takes the seed of a task. Each image has its own seed, so each has its own call. */
export function hasSeed(
  { seed, wishes }: Partial<Pick<FieldTask, 'seed' | 'wishes'>>,
  { accepts }: RouteTerms,
): boolean {
  return accepts.seed !== null && (seed ?? wishes?.seed ?? null) !== null;
}

type Field = readonly [name: FieldName, value: unknown];

function readNeeds(
  { quality, seed, outputFormat, background }: FieldTask,
  accepts: RouteAccepts,
  slot: number,
): readonly Field[] {
  const needs: readonly Field[] = [
    ['quality', quality],
    ['seed', shiftSeed(seed, accepts, slot)],
    ['outputFormat', outputFormat],
    ['background', background],
  ];
  return needs.filter(([, value]) => value !== null);
}

/** Wishes by their order in a request: compression is chosen after the format that it belongs to. */
const WISHES = {
  quality: 'quality',
  seed: 'seed',
  output_format: 'outputFormat',
  output_compression: 'outputCompression',
  style: 'style',
  moderation: 'moderation',
  input_fidelity: 'inputFidelity',
  background: 'background',
} as const satisfies Readonly<Record<keyof Wishes, FieldName>>;
const WISH_NAMES = Object.keys(WISHES) as (keyof Wishes)[];

function readWishes(
  { wishes }: FieldTask,
  accepts: RouteAccepts,
  slot: number,
): readonly (readonly [wish: string, ...field: Field])[] {
  const given = wishes ?? {};
  return WISH_NAMES.filter((wish) => given[wish] !== undefined).map((wish) => [
    wish,
    WISHES[wish],
    wish === 'seed' ? shiftSeed(given.seed ?? null, accepts, slot) : (given[wish] ?? null),
  ]);
}

/** Returns the seed of a slot, the same over repeats and failovers. */
function shiftSeed(seed: number | null, { seed: max }: RouteAccepts, slot: number): number | null {
  return seed === null || max === null ? seed : (seed + slot) % (max + 1);
}

/** Returns true where a route takes a field. A format decides whether a compression means anything. */
function isTaken(
  { type }: Pick<FieldTask, 'type'>,
  { accepts }: Pick<RouteTerms, 'accepts'>,
  [name, value]: Field,
  format?: unknown,
): boolean {
  const has = (list: readonly unknown[]): boolean => list.includes(value);
  switch (name) {
    case 'quality':
    case 'outputFormat':
    case 'background':
      return has(accepts[name]);
    case 'seed':
      return accepts.seed !== null;
    case 'outputCompression':
      return accepts.outputCompression && WITH_COMPRESSION.includes(format);
    // Vendors take it for generations only.
    case 'moderation':
      return accepts.moderation && type === 'image_generate';
    case 'inputFidelity':
      return accepts.inputFidelity && type === 'image_edit';
    case 'mask':
    case 'negativePrompt':
    case 'style':
      return accepts[name];
  }
}
