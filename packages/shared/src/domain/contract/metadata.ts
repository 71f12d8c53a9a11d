/** Texts that a request is given by its caller, such as `{ user: '42' }`: they name who spends, and change no image. */
export type Metadata = Readonly<Record<string, string>>;

/** Bounds of metadata. */
export const METADATA_LIMITS = { entries: 16, keyCharacters: 64, valueCharacters: 512 } as const;

/** Keys of metadata, as the source of a regular expression. */
export const METADATA_KEY = `[A-Za-z0-9_.-]{1,${METADATA_LIMITS.keyCharacters}}`;

/** Value of the entry of a summary that holds all values beyond the dearest ones. */
export const OTHER_VALUES = '…';

/** Returns the entries in the order of their keys: equal metadata is then written in the same bytes. */
export function sortMetadata<Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Query parameters `metadata[key]`: entries that a task has. */
export type MetadataQuery = Readonly<Partial<Record<`metadata[${string}]`, string>>>;
