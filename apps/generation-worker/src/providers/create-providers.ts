import { configureInstance, type ProviderInstance } from '@image-gateway/shared/catalog/document';
import { getHostPort } from '@image-gateway/shared/net';
import {
  chooseProxy,
  createOutbound,
  type OutboundOptions,
  type ProxySettings,
} from '@image-gateway/shared/outbound';
import {
  type ChosenProviders,
  type ConfiguredUpstream,
  computeFingerprint,
  configureUpstream,
  type ReadKeys,
  UPSTREAMS,
  type UpstreamSettings,
} from '@image-gateway/shared/upstreams';
import type { JobPace } from './follow-job.js';
import { createUpstream } from './http/create-upstream.js';
import { keepAddress, parseAddress } from './keep-address.js';
import type { ImageProvider, ProviderKey } from './port.js';
import { PROVIDER_MAKERS } from './provider-makers.js';
import { createSandbox } from './sandbox/create-sandbox.js';

/** Settings of the providers. */
export interface ProviderSettings extends UpstreamSettings, ProxySettings {
  readonly chosen: Pick<ChosenProviders, 'builtIn'>;
  readonly readKeys: ReadKeys;
  readonly OUTBOUND_ALLOW: readonly string[];
  readonly contact?: string | undefined;
}

/** Configured provider with its keys; the key `null` means that it needs none. */
export interface Provider {
  readonly provider: ImageProvider;
  readonly keys: readonly (ProviderKey | null)[];
}

/** Providers of this process. */
export interface Providers {
  /** Returns a built-in provider, or the instance of a catalog; null for one that is not configured here. */
  readonly find: (name: string, instance?: ProviderInstance) => Provider | null;
  /** Returns the provider of an open call, also of an instance that no catalog has any more; null for one that is not configured here. */
  readonly findMaker: (call: {
    readonly provider: string;
    readonly jobHandle: string | null;
  }) => Provider | null;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Creates the providers of this process: the built-in ones at once, instances when a task or a call needs them. Each has its
 * keys and a client of its own. Tests may set the pace of jobs.
 */
export function createProviders(settings: ProviderSettings, jobPace?: JobPace): Providers {
  const ground = { allow: new Set(settings.OUTBOUND_ALLOW), contact: settings.contact };
  const builtIn = new Map(
    settings.chosen.builtIn.map((name): [string, Provider] => [
      name,
      name === 'sandbox'
        ? { provider: createSandbox(), keys: [null] }
        : createBuiltIn(
            { ...ground, proxy: chooseProxy(settings, configureUpstream(settings, name).apiUrl) },
            configureUpstream(settings, name),
            jobPace,
          ),
    ]),
  );
  const instances = new Map<string, Provider>();

  const findInstance = (
    instance: Pick<ProviderInstance, 'name' | 'protocol' | 'baseUrl' | 'apiPath' | 'keyEnv' | 'task'>,
  ) => {
    const { name, protocol, baseUrl, apiPath, keyEnv, task } = instance;
    const id = JSON.stringify([name, protocol, baseUrl, apiPath, keyEnv, task]);
    const known = instances.get(id) ?? createInstance(instance);
    if (known) {
      instances.set(id, known);
    }
    return known;
  };
  const createInstance = (instance: Parameters<typeof findInstance>[0]): Provider | null => {
    if (instance.protocol === 'sandbox') {
      return { provider: { ...createSandbox(), name: instance.name }, keys: [null] };
    }
    const upstream = configureInstance(instance, settings.readKeys);
    if (upstream === null) {
      return null;
    }
    const { ownAddress } = upstream;
    const outbound = createOutbound({
      ...ground,
      allowServers: new Set(ownAddress === null ? [] : [getHostPort(ownAddress)]),
      proxy: chooseProxy(settings, upstream.apiUrl),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    const { provider, keys } = toProvider(upstream, outbound, jobPace);
    return { provider: keepAddress(provider, instance), keys };
  };

  return {
    find: (name, instance) => builtIn.get(name) ?? (instance ? findInstance(instance) : null),
    findMaker: ({ provider: name, jobHandle }) => {
      const address = parseAddress(jobHandle);
      return builtIn.get(name) ?? (address && findInstance({ name, ...address }));
    },
  };
}

function createBuiltIn(
  ground: Pick<OutboundOptions, 'allow' | 'contact' | 'proxy'>,
  upstream: ConfiguredUpstream,
  jobPace?: JobPace,
): Provider {
  const { ownAddress } = upstream;
  const outbound = createOutbound({
    ...ground,
    allowHosts: new Set(ownAddress === null ? [] : [ownAddress.hostname]),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  return toProvider(upstream, outbound, jobPace);
}

function toProvider(
  { protocol, apiUrl, ownAddress, keys, task }: ConfiguredUpstream,
  outbound: ReturnType<typeof createOutbound>,
  jobPace?: JobPace,
): Provider {
  const upstream = createUpstream(
    { outbound },
    { baseUrl: apiUrl, resultHosts: UPSTREAMS[protocol].resultHosts },
  );
  const known = keys.map((secret) => ({ secret, fingerprint: computeFingerprint(secret) }));
  return {
    provider: PROVIDER_MAKERS[protocol]({
      upstream,
      own: ownAddress !== null,
      task,
      times: jobPace ? { pace: jobPace } : {},
    }),
    // A private server may need no key.
    keys: known.length > 0 ? known : [null],
  };
}
