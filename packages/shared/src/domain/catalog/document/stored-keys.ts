import { getHostPort } from '../../../runtime/net/index.js';
import {
  configureUpstream,
  findKeyFault,
  type KeyName,
  type KeyPlace,
  nameKey,
  openKeys,
  PROVIDER_NAMES,
  type ReadKeys,
  type SealedKeys,
  splitKeys,
  UPSTREAMS,
  type UpstreamName,
  type UpstreamSettings,
} from '../../upstreams/index.js';
import type { Catalog } from './catalog.js';

/** Keys of providers from the database, and why some are not used. */
export interface OpenedKeys {
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly unused: readonly { readonly name: string; readonly reason: string }[];
}

/** Place of keys at a protocol that is known. */
export interface ProviderPlace extends KeyPlace {
  readonly protocol: UpstreamName;
}

/** Finds protocol and address of a provider that can have keys; null for none of this name. */
export function locateProvider(
  name: string,
  settings: UpstreamSettings,
  { instances }: Pick<Catalog, 'instances'>,
): ProviderPlace | null {
  const instance = instances.get(name);
  if (instance) {
    const { protocol, baseUrl, keyEnv } = instance;
    const address = protocol === 'sandbox' ? null : (baseUrl ?? UPSTREAMS[protocol].baseUrl);
    return protocol === 'sandbox' || address === null || keyEnv === null
      ? null
      : { name, protocol, hostPort: getHostPort(new URL(address)) };
  }
  const known = PROVIDER_NAMES.find((one) => one === name);
  return known === undefined || known === 'sandbox'
    ? null
    : { name, protocol: known, hostPort: getHostPort(new URL(configureUpstream(settings, known).apiUrl)) };
}

/** Decrypts the stored keys that are for the present address of their provider. */
export function openStoredKeys(
  stored: readonly (KeyPlace & SealedKeys)[],
  {
    encryptionKeys,
    settings,
    catalog,
  }: {
    readonly encryptionKeys: readonly Buffer[];
    readonly settings: UpstreamSettings;
    readonly catalog: Pick<Catalog, 'instances'>;
  },
): OpenedKeys {
  const keys = new Map<string, readonly string[]>();
  const unused: { name: string; reason: string }[] = [];
  for (const row of stored) {
    const { name } = row;
    const place = locateProvider(name, settings, catalog);
    const isHere = place?.protocol === row.protocol && place.hostPort === row.hostPort;
    const text = isHere ? openKeys(encryptionKeys, row, row) : null;
    if (text !== null && place !== null) {
      const given = splitKeys(text);
      const faults = given.map((key) => findKeyFault(place.protocol, key));
      const fault = faults.find((one) => one !== null);
      if (fault) {
        unused.push({ name, reason: `the stored key ${fault}: set it again` });
      }
      const usable = given.filter((_, index) => faults[index] === null);
      if (usable.length > 0) {
        keys.set(name, usable);
      }
    } else if (place === null) {
      unused.push({ name, reason: 'no provider of this name takes keys' });
    } else {
      const reason = isHere
        ? 'no ENCRYPTION_KEY here decrypts it: set the former one as well, or the key of the provider again'
        : `it was set for ${row.protocol} at ${row.hostPort}: set it again for ${place.hostPort}`;
      unused.push({ name, reason });
    }
  }
  return { keys, unused };
}

/** Where a provider that takes keys is called, and where its keys come from; null without a key. */
export interface KeySource {
  readonly source: 'environment' | 'database' | null;
  /** Host and port. */
  readonly address: string;
  /** Keys that can be used; absent in reports of 0.3.0. @until 0.5.0 */
  readonly keys?: readonly KeyName[];
}

/** Describes where the keys of each provider come from in a process. */
export function describeKeySources(
  catalog: Pick<Catalog, 'instances'>,
  { settings, readKeys }: { readonly settings: UpstreamSettings; readonly readKeys: ReadKeys },
  stored: OpenedKeys['keys'],
): Readonly<Record<string, KeySource>> {
  const names = [...PROVIDER_NAMES, ...catalog.instances.keys()];
  return Object.fromEntries(
    names.flatMap((name) => {
      const place = locateProvider(name, settings, catalog);
      if (place === null) {
        return [];
      }
      const variable = getKeyVariable(name, catalog);
      const given = catalog.instances.has(name)
        ? readKeys(variable ?? '')
        : (settings[variable as keyof UpstreamSettings] ?? []);
      const source = given.length > 0 ? 'environment' : stored.has(name) ? 'database' : null;
      const secrets = source === 'environment' ? [...given] : (stored.get(name) ?? []);
      const keys = secrets.filter((key) => findKeyFault(place.protocol, key) === null).map(nameKey);
      return [[name, { source, address: place.hostPort, keys } as const]];
    }),
  );
}

/** Returns the name of the variable with the keys of a provider; null where it takes none. */
export function getKeyVariable(name: string, { instances }: Pick<Catalog, 'instances'>): string | null {
  const instance = instances.get(name);
  const known = PROVIDER_NAMES.find((one) => one === name);
  return instance
    ? instance.keyEnv
    : known === undefined || known === 'sandbox'
      ? null
      : `${UPSTREAMS[known].envPrefix}_API_KEY`;
}

/** Completes settings with stored keys: those of the environment win. */
export function mergeStoredKeys<S extends UpstreamSettings>(settings: S, stored: OpenedKeys['keys']): S {
  const added = PROVIDER_NAMES.flatMap((name) => {
    const setting = name === 'sandbox' ? null : `${UPSTREAMS[name].envPrefix}_API_KEY`;
    const keys = stored.get(name);
    const given = setting === null ? [] : (settings[setting as keyof UpstreamSettings] ?? []);
    return setting === null || keys === undefined || given.length > 0 ? [] : [[setting, keys]];
  });
  return { ...settings, ...Object.fromEntries(added) };
}

/** Completes the reader of the keys of instances with stored keys: those of the environment win. */
export function readWithStoredKeys(readKeys: ReadKeys, stored: OpenedKeys['keys']): ReadKeys {
  return (variable, instance) => {
    const given = readKeys(variable);
    return given.length > 0 || instance === undefined ? given : (stored.get(instance) ?? []);
  };
}
