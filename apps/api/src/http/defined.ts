type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A copy of an object without the fields that are undefined. */
export function omitUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
