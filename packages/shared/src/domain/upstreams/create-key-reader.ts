import { splitKeys } from './split-keys.js';

/** Reads the keys of an environment variable, or those stored for an instance; none where there are none. */
export type ReadKeys = (variable: string, instance?: string) => readonly string[];

const NAME = /^[A-Z][A-Z0-9_]*_KEYS?$/;

/** Creates the reader of the keys that instances of the catalog name in the environment. */
export function createKeyReader(env: Readonly<Record<string, string | undefined>>): ReadKeys {
  return (name) => splitKeys(NAME.test(name) ? (env[name] ?? '') : '');
}
