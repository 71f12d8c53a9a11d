import { DEFAULT_KEY_SCOPES, KEY_SCOPES, type KeyScope } from './key-scopes.js';

/** JSON values of limits, by their kind. */
export interface LimitValues {
  readonly count: number | null;
  /** Number in so many seconds, such as `600/60`. */
  readonly rate: string | null;
  /** Dollars, such as `5.00`. */
  readonly cap: string | null;
  /** Key of metadata and the dollars that each of its values may cost, such as `user=0.50`. */
  readonly valueCap: string | null;
  readonly models: readonly string[];
  readonly scopes: readonly KeyScope[];
  readonly networks: readonly string[];
  readonly switch: boolean;
}

/** Kind of a limit: how its value is written, kept and asked for. */
export type LimitKind = keyof LimitValues;

/** Values that limit nothing. */
export const NO_LIMIT: LimitValues = {
  count: null,
  rate: null,
  cap: null,
  valueCap: null,
  models: [],
  scopes: DEFAULT_KEY_SCOPES,
  networks: [],
  switch: false,
};

/** Most entries of a list in a limit. */
export const MAX_ENTRIES = 100;

/** A limit; its key in the table is its JSON name. */
export interface LimitEntry {
  readonly kind: LimitKind;
  /** Its columns: those of a rate hold the number and the seconds, those of a cap by value the key and the amount. */
  readonly columns: readonly [string] | readonly [string, string];
  /** Most that a count may be. */
  readonly max?: number;
  /** Option of the command line, and its help if that is more than label and setting. */
  readonly option: string;
  readonly help?: string;
  /** Name in forms and errors. */
  readonly label: string;
  readonly hint?: string;
  /** Setting that holds without it. */
  readonly setting?: string;
  /** Words before its value in a list of limits; for a switch all words. */
  readonly summary?: string;
  /** Description in the OpenAPI document of the limits that a key sees of itself. */
  readonly description?: string;
}

/** Limits by their JSON names. */
export type LimitTable = Readonly<Record<string, LimitEntry>>;

/** Limits as they are shown. */
export type LimitsView<T extends LimitTable> = {
  readonly [Name in keyof T]: LimitValues[T[Name]['kind']];
};

/** Limits to change: absent ones stay; null, empty text and an empty list remove one. */
export type LimitsBody<T extends LimitTable> = {
  readonly [Name in keyof T]?:
    | LimitValues[T[Name]['kind']]
    | (T[Name]['kind'] extends 'count' ? string : never);
};

/** Returns a table of limits with its type. Validation, statements, audit, command line and forms follow from it. */
export const defineLimits = <const T extends LimitTable>(limits: T): T => limits;

/** Lists the names and entries of a table of limits. */
export const listLimits = <T extends LimitTable>(limits: T) =>
  Object.entries(limits) as [keyof T & string, LimitEntry][];

/** Says which values a limit takes, such as `600/60`. */
export function describeLimit({ kind, max = 0 }: LimitEntry): string {
  const number = `a whole number from 1 to ${max.toLocaleString('en-US')}`;
  return {
    count: number,
    rate: `count/seconds such as 600/60, the count ${number}`,
    cap: 'a positive amount of dollars with at most six decimals, such as 5.00',
    valueCap: 'a key of metadata and an amount of dollars, such as user=0.50',
    models: `the id of a model, of at most ${MAX_ENTRIES}`,
    scopes: `one of ${KEY_SCOPES.join(', ')}`,
    networks: `an address or a network such as 192.0.2.0/24 or 2001:db8::/32, of at most ${MAX_ENTRIES}`,
    switch: 'true or false',
  }[kind];
}

/** The name of a field in camel case, as properties have it. */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

// Names of fields and limits are few, and each submit asks for all of its fields.
const inCamelCase = new Map<string, string>();

/** Returns the name of a field, a limit or an option in camel case: that of its property, and of an option for Commander. */
export function toCamelCase<Name extends string>(name: Name): CamelCase<Name> {
  let made = inCamelCase.get(name);
  if (made === undefined) {
    made = name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
    inCamelCase.set(name, made);
  }
  return made as CamelCase<Name>;
}
