import { type Preferences, toCamelCase } from '@image-gateway/shared/contract';
import type { TaskRow } from '@image-gateway/shared/db';
import { PREFERENCE_NAMES, readRequirements } from '@image-gateway/shared/task';
import { type Capabilities, isCapable, isMeant, NO_CAPABILITIES } from '@image-gateway/shared/upstreams';
import type { RequestFields, RouteTerms } from '../providers/port.js';

/** Properties of a task that decide which optional fields a call has. */
export type FieldTask = Pick<
  TaskRow,
  'type' | 'negativePrompt' | 'wishes' | keyof ReturnType<typeof readRequirements>
>;

/** Name of an optional field in a request. */
export type FieldName = keyof RequestFields;

/** Optional fields of one call. */
export interface ChosenFields {
  /** All but the mask, whose image is loaded with the inputs. */
  readonly fields: Omit<RequestFields, 'mask'>;
  /** Names of the preferences that the call leaves out, as the customer wrote them. */
  readonly unused: readonly string[];
}

/** Returns true where the upstream of the route has refused a field with a value, by its name. */
export type IsRefused = (name: FieldName, value: unknown) => boolean;

/** Terms of a route about which nothing is known, as that of a job whose route is gone. */
export const NO_TERMS: RouteTerms = { accepts: NO_CAPABILITIES, quality: null, preferredQualities: [] };

/**
 * Chooses the optional fields of the call that draws a slot, out of the requirements and preferences of its task. Null where the route does
 * not take a required one.
 */
export function chooseFields(
  task: FieldTask,
  terms: RouteTerms,
  slot: number,
  isRefused: IsRefused = () => false,
): ChosenFields | null {
  const { type, negativePrompt } = task;
  const { accepts, quality: own } = terms;
  const isTaken = ([name, value]: Field, by = accepts): boolean =>
    isCapable(by, name, value) && !isRefused(name, value);
  const required = listRequired(task, accepts, slot);
  if (!required.every((field) => isTaken(field))) {
    return null;
  }
  const fields: Partial<Record<FieldName, unknown>> = Object.fromEntries(required);
  delete fields.mask;
  const unused: string[] = [];
  for (const [name, field, value] of listPreferences(task, accepts, slot)) {
    const by = { ...accepts, quality: terms.preferredQualities };
    // A format is chosen before the compression that belongs to it.
    const format = fields.outputFormat;
    if (value !== null && isMeant(name, { type, format }) && isTaken([field, value], by)) {
      fields[field] = value;
    } else {
      unused.push(name);
    }
  }
  // An upstream without transparency draws opaque images without being asked, and may not know the field.
  if (fields.background === 'opaque' && !accepts.background.includes('transparent')) {
    delete fields.background;
  }
  if (negativePrompt !== null && isTaken(['negativePrompt', negativePrompt])) {
    fields.negativePrompt = negativePrompt;
  }
  if (fields.quality === undefined && own !== null && isTaken(['quality', own])) {
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

function listRequired(task: FieldTask, accepts: Capabilities, slot: number): readonly Field[] {
  const all = { ...readRequirements(task), seed: shiftSeed(task.seed, accepts, slot) };
  return (Object.entries(all) as Field[]).filter(([, value]) => value !== null);
}

/** Lists the preferences by their order in the table; a background that no route understands comes last. */
function listPreferences(
  { wishes }: FieldTask,
  accepts: Capabilities,
  slot: number,
): readonly (readonly [name: keyof Preferences, ...field: Field])[] {
  const given: Preferences = wishes ?? {};
  return [...PREFERENCE_NAMES, 'background' as const]
    .filter((name) => given[name] !== undefined)
    .map((name) => [
      name,
      toCamelCase(name),
      name === 'seed' ? shiftSeed(given.seed ?? null, accepts, slot) : (given[name] ?? null),
    ]);
}

/** Returns the seed of a slot, the same over repeats and failovers. */
function shiftSeed(seed: number | null, { seed: max }: Capabilities, slot: number): number | null {
  return seed === null || max === null ? seed : (seed + slot) % (max + 1);
}
