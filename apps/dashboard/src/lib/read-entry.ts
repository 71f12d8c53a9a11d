/** Reads an entry of metadata that was typed as `key=value` into query parameters; none while it is not one. */
export function readEntry(text: string): Readonly<Partial<Record<`metadata[${string}]`, string>>> {
  const [, key, value] = /^\s*([A-Za-z0-9_.-]{1,64})=(.{1,512})$/su.exec(text) ?? [];
  return key === undefined || value === undefined ? {} : { [`metadata[${key}]`]: value };
}
