import type { JsonRecord } from './http/json-decoder.js';
import type { ProviderRequest } from './port.js';

/** Sources of the fields of a request, from the weakest to the strongest. */
export interface FieldSources {
  /** Defaults of the adapter, and preferences of the request that a route may fix by an option. */
  readonly defaults: JsonRecord;
  /** Options of the route; null leaves a field out. */
  readonly options: JsonRecord;
  /** The customer's own values, which options can only leave out: shape and number. */
  readonly asked: JsonRecord;
  /** Model, prompt and images, which no option changes. An undefined one is left out. */
  readonly content: JsonRecord;
}

/** Options of a route that say how its requests are built, and are no fields of them. */
const FORM_OPTIONS: ReadonlySet<string> = new Set([
  'api_version',
  'dialect',
  'edit_model',
  'edit_path',
  'image_field',
  'image_format',
  'mask_field',
  'prompt_rewriting',
  'shape',
]);

/** Returns the model of a request: the option `edit_model` of its route names another one for edits. */
export function chooseModel({
  model,
  options: { edit_model: other },
  inputs,
}: Pick<ProviderRequest, 'model' | 'options'> & { readonly inputs: readonly unknown[] }): string {
  return inputs.length > 0 && typeof other === 'string' ? other : model;
}

/** Merges the fields of a request. It is the one rule of what wins, for every adapter. */
export function mergeFields({ defaults, options, asked, content }: FieldSources): JsonRecord {
  const kept = Object.entries(asked).filter(([name]) => options[name] !== null);
  const merged = { ...defaults, ...options, ...Object.fromEntries(kept), ...content };
  return Object.fromEntries(
    Object.entries(merged).filter(
      ([name, value]) => value !== undefined && value !== null && !FORM_OPTIONS.has(name),
    ),
  );
}
