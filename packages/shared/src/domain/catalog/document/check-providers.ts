import { isIP } from 'node:net';
import { sharedSettings } from '../../../runtime/config/index.js';
import { isMachineAddress } from '../../../runtime/net/index.js';
import {
  checkTaskSettings,
  PROVIDER_NAMES,
  type RouteFault,
  upstreamSettings,
} from '../../upstreams/index.js';
import type { CatalogFault } from './catalog-fault.js';
import type { ProviderEntry } from './document-schema.js';
import { taskFields } from './task-schema.js';

// Names of services that answer with credentials of the machine itself.
const METADATA_HOSTS = new Set([
  'metadata',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

// Keys of the built-in providers go to their own hosts only, and secrets of the gateway to nobody.
const OWN_SETTINGS = new Set([...Object.keys(sharedSettings), ...Object.keys(upstreamSettings)]);

/** Checks the provider instances of a document. */
export function checkProviders(providers: Readonly<Record<string, ProviderEntry>>): CatalogFault[] {
  const builtIn: readonly string[] = PROVIDER_NAMES;
  return Object.entries(providers).flatMap(([name, entry]) => {
    const path = `providers.${name}`;
    const isMissing = entry.base_url === undefined && entry.protocol !== 'sandbox';
    return [
      ...(builtIn.includes(name)
        ? [{ path, message: 'is the name of a built-in provider; choose another name' }]
        : []),
      ...(isMissing ? [{ path, message: 'base_url is required, such as http://10.0.0.5:8000/v1' }] : []),
      ...checkEntry(entry).map(({ field, message }) => ({ path: `${path}.${field}`, message })),
    ];
  });
}

function checkEntry(entry: ProviderEntry): readonly RouteFault[] {
  const { protocol, base_url: address, key_env: variable } = entry;
  const unusable = address === undefined ? null : describeAddress(address);
  const isOwn = variable !== undefined && OWN_SETTINGS.has(variable);
  const taken = `${variable} is a setting of the gateway; choose a variable of its own, such as MY_GPU_KEYS`;
  const surplus = Object.keys(entry).filter((field) => Object.hasOwn(taskFields, field));
  return [
    ...(unusable === null ? [] : [{ field: 'base_url', message: unusable }]),
    ...(isOwn ? [{ field: 'key_env', message: taken }] : []),
    ...(protocol === 'task'
      ? checkTaskSettings(entry)
      : surplus.map((field) => ({ field, message: 'is for protocol: task only' }))),
  ];
}

function describeAddress(address: string): string | null {
  const example = 'must be an http or https URL without user info, query and fragment';
  if (!URL.canParse(address)) {
    return example;
  }
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol) || /[\s?#\\]/.test(address)) {
    return example;
  }
  if (url.username !== '' || url.password !== '') {
    return `${example}; put keys into key_env`;
  }
  const host = url.hostname.replace(/\.$/, '').toLowerCase();
  if (METADATA_HOSTS.has(host) || isMachineAddress(host.replace(/^\[|\]$/g, ''))) {
    return 'must not be a metadata or link-local address; name the address of the server itself';
  }
  if (isIP(host) === 4 && host.startsWith('0.')) {
    return 'must not be an unspecified address';
  }
  return host === '[::]' ? 'must not be an unspecified address' : null;
}
