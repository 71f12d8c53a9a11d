import type Joi from 'joi';
import type { Quality } from '../../contract/index.js';
import type { TaskSettings } from '../../upstreams/index.js';
import type { modelFields, providerFields, routeFields, tokenFields } from './document-schema.js';

type Value<S> =
  S extends Joi.AnySchema<infer T> ? (T extends readonly (infer I)[] ? readonly I[] : T) : never;
/** Entry of a document by the schemas of its fields; `Needed` ones are always there. */
type Entry<F, Needed extends keyof F = never> = { readonly [Name in Needed]: Value<F[Name]> } & {
  readonly [Name in Exclude<keyof F, Needed>]?: Value<F[Name]>;
};

/** Dollars an image: one amount, or an amount for each quality. */
export type DollarsEntry = string | Readonly<Partial<Record<Quality, string>>>;

/** Provider instance of a document: a further address and keys of a protocol. */
export type ProviderEntry = Entry<typeof providerFields, 'protocol'> & TaskSettings;

/** Dollars a million tokens of each kind; texts and thoughts that are drawn cost as images unless they have a price of their own. */
export type TokenCostEntry = Entry<typeof tokenFields, 'out'>;

/** Route of a document: a provider, its own model name, and what an image costs there. */
export type RouteEntry = Entry<typeof routeFields, 'provider' | 'model' | 'cost'>;

/** Model of a document. Every field is optional, because an entry may change a few fields of a built-in model. */
export type ModelEntry = Entry<typeof modelFields>;

/** Catalog document as an operator writes it. */
export interface CatalogDocument {
  readonly $schema?: string;
  readonly default_model?: string;
  readonly providers?: Readonly<Record<string, ProviderEntry>>;
  readonly models?: Readonly<Record<string, ModelEntry>>;
}
