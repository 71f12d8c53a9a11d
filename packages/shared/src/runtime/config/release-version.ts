import { readFileSync } from 'node:fs';

let version: string | undefined;

/** Returns the version of this release, such as `0.4.0`. */
export function getVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  version ??= (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  return version;
}
