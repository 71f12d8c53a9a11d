import {
  BACKGROUNDS,
  type CamelCase,
  OUTPUT_FORMATS,
  QUALITIES,
  type TaskType,
  toCamelCase,
} from '../contract/index.js';

/** Optional field of a request: what a route must be able to do for it, and its words in other APIs. */
export interface OptionalField {
  /** How a route takes it: some of its values, numbers up to one of its own, or all. */
  readonly kind: 'values' | 'number' | 'all';
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  /** Value that every upstream draws without being asked. */
  readonly usual?: string;
  /** Greatest number. */
  readonly greatest?: number;
  /** Values under the names of other APIs. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The field under the names of other APIs. */
  readonly otherNames?: readonly string[];
  /** Only tasks of this type have it. */
  readonly type?: TaskType;
  /** Images of these formats alone have it, by another field that is chosen first. */
  readonly formats?: readonly string[];
  /** Text of the documentation of a catalog. */
  readonly note?: string;
  /** Text of the documentation of the facade, where a request of the facade may prefer a value. */
  readonly preference?: string;
}

/** Greatest seed of a request. */
export const MAX_SEED = 4_294_967_295;

/**
 * Every optional field that an upstream may take, under its name in requests and documents. Capabilities of routes, the entries of
 * documents, the routes of a request and the fields of a call follow from this table. Its order is that of names in answers and
 * in stored fingerprints.
 */
export const OPTIONAL_FIELDS = {
  quality: {
    kind: 'values',
    values: QUALITIES,
    aliases: { standard: 'medium', hd: 'high' },
    preference:
      '`standard` is `medium`, `hd` is `high`. Sent or refused where a model has prices by quality.',
  },
  output_format: {
    kind: 'values',
    values: OUTPUT_FORMATS,
    aliases: { jpg: 'jpeg' },
    otherNames: ['outputFormat'],
    preference: 'Format of the images.',
  },
  output_compression: {
    kind: 'all',
    greatest: 100,
    formats: ['jpeg', 'webp'],
    preference: 'Quality of `jpeg` and `webp` in percent.',
  },
  style: { kind: 'all', pattern: /^[\w .:-]{1,64}$/, preference: 'Such as `vivid`.' },
  moderation: { kind: 'all', values: ['low'], preference: 'How strictly the upstream moderates.' },
  input_fidelity: {
    kind: 'all',
    values: ['low', 'high'],
    type: 'image_edit',
    preference: 'How closely an edit follows its images.',
  },
  seed: {
    kind: 'number',
    greatest: MAX_SEED,
    note: '`true`, or the greatest seed',
    preference: 'Of the first image; the next ones have the next seeds.',
  },
  background: {
    kind: 'values',
    values: BACKGROUNDS,
    usual: 'opaque',
    note: 'Every route draws an opaque one',
  },
  mask: { kind: 'all', otherNames: ['mask_url', 'mask_image'] },
  negative_prompt: { kind: 'all', otherNames: ['negativePrompt'], note: 'As a field of its own' },
} as const satisfies Readonly<Record<string, OptionalField>>;

type Fields = typeof OPTIONAL_FIELDS;
/** Name of an optional field. */
export type OptionalName = keyof Fields;
type Taken<Field> = Field extends { readonly kind: 'values'; readonly values: readonly (infer Value)[] }
  ? readonly Value[]
  : Field extends { readonly kind: 'number' }
    ? number | null
    : boolean;
type Said<Field> = Taken<Field> extends number | null ? boolean | number : Taken<Field>;

/** Optional fields that a route hands to its upstream: values, the greatest number (null: none is taken), or whether it takes the field. */
export type Capabilities = { readonly [Name in OptionalName as CamelCase<Name>]: Taken<Fields[Name]> };
/** Property that holds an optional field. */
export type OptionalProperty = keyof Capabilities;
/** Capabilities of a route as a document says them; what is absent is not taken. For numbers, true is every one. */
export type CapabilitiesEntry = { readonly [Name in OptionalName]?: Said<Fields[Name]> };

/** Names of all optional fields. */
export const OPTIONAL_NAMES = Object.keys(OPTIONAL_FIELDS) as OptionalName[];

function build(read: (field: OptionalField, name: OptionalName) => unknown): Capabilities {
  const entries = OPTIONAL_NAMES.map((name) => [toCamelCase(name), read(OPTIONAL_FIELDS[name], name)]);
  return Object.fromEntries(entries) as Capabilities;
}

/** Returns what a route takes whose document says this of a field; false: nothing. */
function readTaken({ kind, values = [], usual, greatest }: OptionalField, said: unknown): unknown {
  switch (kind) {
    case 'values':
      return values.filter((value) => value === usual || (Array.isArray(said) && said.includes(value)));
    case 'number':
      return said === true ? greatest : said === false ? null : said;
    case 'all':
      return said === true;
  }
}

/** Capabilities of a route that takes no optional field. */
export const NO_CAPABILITIES = build((field) => readTaken(field, false));

/** Capabilities of a route that takes all. */
export const ALL_CAPABILITIES = build((field) =>
  readTaken(field, field.kind === 'values' ? field.values : true),
);

/** Reads what a document says. */
export function readCapabilities(entry: CapabilitiesEntry): Capabilities {
  return build((field, name) => readTaken(field, entry[name] ?? false));
}

/** Returns what is left where options of a route set fields: only the value that they set. */
export function fixCapabilities(
  capabilities: Capabilities,
  options: Readonly<Record<string, unknown>>,
): Capabilities {
  return build((field, name) => {
    if (!Object.hasOwn(options, name)) {
      return capabilities[toCamelCase(name)];
    }
    const set = toOwnValue(field, options[name]);
    const isKnown = field.kind === 'values' && field.values?.some((value) => value === set);
    return isKnown ? [set] : readTaken(field, false);
  });
}

/** Returns the value of a field under its own name, which other APIs may give another one. */
export function toOwnValue({ aliases = {} }: OptionalField, value: unknown): unknown {
  return typeof value === 'string' && Object.hasOwn(aliases, value) ? aliases[value] : value;
}

/** Returns true where a route can do what a field with this value requires of it. It is the only judgement of one field. */
export function isCapable(
  capabilities: Partial<Capabilities>,
  property: OptionalProperty,
  value: unknown,
): boolean {
  const taken = capabilities[property] ?? false;
  return Array.isArray(taken) ? taken.includes(value as never) : taken !== false;
}

/** Returns true where a task of this type, whose images have this format, can have a field at all. */
export function isMeant(
  name: OptionalName,
  { type, format }: { readonly type: TaskType; readonly format: unknown },
): boolean {
  const { type: only = type, formats }: OptionalField = OPTIONAL_FIELDS[name];
  return only === type && (formats === undefined || formats.some((one) => one === format));
}

/** Lists the values of a field that some routes take; of one that is not taken by values, the empty text stands for all. */
export function listTakenValues(
  name: OptionalName,
  routes: readonly { readonly accepts: Capabilities }[],
): string[] {
  const { kind, values = [] }: OptionalField = OPTIONAL_FIELDS[name];
  return (kind === 'values' ? values : ['']).filter((value) =>
    routes.some(({ accepts }) => isCapable(accepts, toCamelCase(name), value)),
  );
}

/** Lists the fields that a route takes beside what every upstream draws. */
export function listTaken(capabilities: Capabilities): OptionalName[] {
  return OPTIONAL_NAMES.filter((name) => {
    const { usual }: OptionalField = OPTIONAL_FIELDS[name];
    return listTakenValues(name, [{ accepts: capabilities }]).some((value) => value !== usual);
  });
}
