import type { JsonRecord } from './http/json-decoder.js';

/** Sources of the fields of a request, from the weakest to the strongest. */
export interface FieldSources {
  /** Defaults of the adapter, and wishes of the request that a route may fix by an option. */
  readonly defaults: JsonRecord;
  /** Options of the route; null leaves a field out. */
  readonly options: JsonRecord;
  /** The customer's own values, which options can only leave out: shape and number. */
  readonly asked: JsonRecord;
  /** Model, prompt and images, which no option changes. An undefined one is left out. */
  readonly content: JsonRecord;
}

/** Merges the fields of a request. It is the one rule of what wins, for every adapter. */
export function mergeFields({ defaults, options, asked, content }: FieldSources): JsonRecord {
  const kept = Object.entries(asked).filter(([name]) => options[name] !== null);
  const merged = { ...defaults, ...options, ...Object.fromEntries(kept), ...content };
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== undefined && value !== null),
  );
}
