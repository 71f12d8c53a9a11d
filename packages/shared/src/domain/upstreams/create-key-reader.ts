/** Reads the keys of an environment variable; none where it is not set. */
export type ReadKeys = (name: string) => readonly string[];

const NAME = /^[A-Z][A-Z0-9_]*_KEYS?$/;

/** Creates the reader of the keys that instances of the catalog name, comma-separated in the environment. */
export function createKeyReader(env: Readonly<Record<string, string | undefined>>): ReadKeys {
  return (name) =>
    (NAME.test(name) ? (env[name] ?? '') : '')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== '');
}
