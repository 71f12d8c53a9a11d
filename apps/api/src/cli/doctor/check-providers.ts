import {
  type Catalog,
  configureInstance,
  listProvidersInUse,
  mergeStoredKeys,
  type OpenedKeys,
  readWithStoredKeys,
} from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { getHostPort } from '@image-gateway/shared/net';
import {
  chooseProxy,
  createOutbound,
  OutboundError,
  type ProxySettings,
} from '@image-gateway/shared/outbound';
import {
  type ConfiguredUpstream,
  chooseProviders,
  computeFingerprint,
  configureUpstream,
  createKeyReader,
  createTaskAuthorization,
  PROVIDER_NAMES,
  type TokenRequest,
  UPSTREAMS,
  type UpstreamDescription,
  type UpstreamSettings,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import { type ListedRoute, listRoutes } from '../../operations/provider/list-routes.js';
import { readProviderChoice } from '../../operations/provider/read-providers-in-use.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

type Env = Readonly<Record<string, string | undefined>>;

const table = { ...upstreamSettings, OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW };
const MAX_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** Checks every key of every configured provider with a free call, and that the provider offers the models of the routes. */
export async function checkProviders(
  env: Env,
  catalog: Promise<Catalog>,
  stored: Promise<OpenedKeys['keys']>,
): Promise<CheckResult[]> {
  try {
    const keys = await stored;
    const settings = mergeStoredKeys(loadSettings(table, env), keys);
    const chosen = chooseProviders(mergeStoredKeys(readProviderChoice(env), keys));
    if (chosen.faults.length > 0) {
      throw new ConfigError(chosen.faults);
    }
    const readKeys = readWithStoredKeys(createKeyReader(env), keys);
    const active = await catalog;
    const inUse = listProvidersInUse(active, chosen, readKeys);
    const routes = Object.values(listRoutes(active, inUse)).flat();
    const checks = inUse.names.map(async (name) => {
      const instance = active.instances.get(name);
      const upstream = instance ? configureInstance(instance, readKeys) : configureBuiltIn(settings, name);
      if (upstream === null) {
        return [fine(name, 'draws test images and calls no upstream; needs no key')];
      }
      return checkProvider(upstream, routes, settings);
    });
    const idle = chosen.unused.map((name) =>
      warning(name, 'has a key, but PROVIDERS does not name it', 'Add it to PROVIDERS, or remove its key.'),
    );
    const missing = (chosen.named ?? [])
      .filter((name) => !inUse.names.includes(name))
      .map((name) =>
        fault(
          name,
          'PROVIDERS names it, and it is neither built in nor an instance of the catalog with its keys',
          'Correct PROVIDERS, or add it to providers with: catalog apply',
        ),
      );
    const none =
      inUse.names.length > 0
        ? []
        : [
            fault(
              'providers',
              'no provider has a key or an address here',
              'Set a key of a provider, or PROVIDERS=sandbox for test images.',
            ),
          ];
    return [...(await Promise.all(checks)).flat(), ...idle, ...missing, ...none];
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    return error.faults.map((text) =>
      fault('providers', text, 'Set it in the environment of the generation workers.'),
    );
  }
}

/** Result of trying keys: why the provider refuses one, or why nothing is known; null for neither. */
export interface TriedKeys {
  readonly refused: string | null;
  readonly untold: string | null;
}

/** Tries keys of a provider with a free call each. A 403 is no refusal: a restricted key may draw and not list. */
export async function tryKeys(
  env: Env,
  { instances }: Pick<Catalog, 'instances'>,
  name: string,
  keys: readonly string[],
): Promise<TriedKeys> {
  const settings = loadSettings(table, env);
  const instance = instances.get(name);
  const upstream = instance ? configureInstance(instance, () => keys) : configureBuiltIn(settings, name);
  if (upstream === null) {
    return { refused: null, untold: 'there is no free call of it' };
  }
  const description: UpstreamDescription = UPSTREAMS[upstream.protocol];
  const results = await Promise.all(
    keys.map(async (secret): Promise<TriedKeys> => {
      try {
        const { get, post } = createClient(upstream, secret, settings);
        const token = description.createTokenRequest?.(secret);
        const path = upstream.checkPath ?? description.checkPath;
        const { status, bytes } = await (token ? post(token) : get(path));
        const isNoToken = token != null && status === 400;
        const isRefused = status === 401 || isNoToken || description.isRefusal?.(status, bytes) === true;
        // A task API that knows the key does not know the job.
        const isClear = status < 400 || (status === 404 && upstream.checkPath !== undefined);
        return {
          refused: isRefused ? String(status) : null,
          untold: isRefused || isClear ? null : `the provider answered ${status}`,
        };
      } catch (error) {
        if (!(error instanceof OutboundError)) {
          throw error;
        }
        return { refused: null, untold: `the provider cannot be reached: ${error.message}` };
      }
    }),
  );
  const find = (field: keyof TriedKeys): string | null =>
    results.map((one) => one[field]).find((text) => text !== null) ?? null;
  return { refused: find('refused'), untold: find('untold') };
}

/** Creates the client of calls that cost nothing: of paths with a key, and for the token that a key is exchanged for. */
function createClient(
  { protocol, apiUrl, ownAddress, task }: ConfiguredUpstream,
  secret: string | null,
  { OUTBOUND_ALLOW, ...proxies }: CallSettings,
) {
  const authorize = task ? createTaskAuthorization(task) : UPSTREAMS[protocol].authorize;
  const outbound = createOutbound({
    allow: new Set(OUTBOUND_ALLOW),
    proxy: chooseProxy(proxies, apiUrl),
    allowServers: new Set(ownAddress === null ? [] : [getHostPort(ownAddress)]),
  });
  return {
    post: ({ url, body }: TokenRequest) =>
      outbound.request({
        method: 'POST',
        url,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(body),
      }),
    get: (path: string) =>
      outbound.request({
        method: 'GET',
        url: `${apiUrl}${path}`,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        headers: secret === null ? {} : authorize(secret),
      }),
  };
}

function configureBuiltIn(settings: UpstreamSettings, name: string): ConfiguredUpstream | null {
  const known = PROVIDER_NAMES.find((one) => one === name);
  return known === undefined || known === 'sandbox' ? null : configureUpstream(settings, known);
}

interface CallSettings extends ProxySettings {
  readonly OUTBOUND_ALLOW: readonly string[];
}

async function checkProvider(
  upstream: ConfiguredUpstream,
  routes: readonly ListedRoute[],
  settings: CallSettings,
): Promise<CheckResult[]> {
  const secrets = upstream.keys.length > 0 ? upstream.keys : [null];
  return Promise.all(secrets.map((secret) => checkKey(upstream, secret, { routes, ...settings })));
}

async function checkKey(
  upstream: ConfiguredUpstream,
  secret: string | null,
  { routes, ...calls }: CallSettings & { readonly routes: readonly ListedRoute[] },
): Promise<CheckResult> {
  const { name, protocol, apiUrl, settings, checkPath: ownPath } = upstream;
  const description: UpstreamDescription = UPSTREAMS[protocol];
  const { checkPath, isRefusal, keysAt, modelsPath } = description;
  const which = secret === null ? 'without a key' : `key ${computeFingerprint(secret)}`;
  const { get, post } = createClient(upstream, secret, calls);
  try {
    const token = secret === null ? null : description.createTokenRequest?.(secret);
    const { status, bytes } = await (token ? post(token) : get(ownPath ?? checkPath));
    const isNoToken = token != null && status === 400;
    if (status === 401 || status === 403 || isNoToken || isRefusal?.(status, bytes)) {
      return fault(name, `${which} is refused (${status})`, `Set a valid key in ${settings.keys}: ${keysAt}`);
    }
    if (status >= 500) {
      return warning(
        name,
        `${which}: the provider responds with ${status}`,
        'Try again later, or check its status page.',
      );
    }
    const list = modelsPath === undefined ? bytes : (await get(modelsPath)).bytes;
    const missing = findMissingModels(
      description,
      list,
      routes.filter(({ provider }) => provider === name),
    );
    return missing.length === 0
      ? fine(name, `${which} is accepted`)
      : warning(
          name,
          `${which} is accepted, but ${missing.join(', ')} is not offered`,
          'Remove the route with catalog apply, or request access to the model.',
        );
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      throw error;
    }
    return fault(
      name,
      `${new URL(apiUrl).host} cannot be reached: ${error.message}`,
      `Check the network and ${settings.address}.`,
    );
  }
}

/** Returns the models of a provider's routes that its list lacks; none when the response has no whole list. */
function findMissingModels(
  { listModels }: UpstreamDescription,
  response: Buffer,
  routes: readonly ListedRoute[],
): string[] {
  const listed = new Set(listModels?.(parseJson(response)));
  return listed.size === 0
    ? []
    : [...new Set(routes.map(({ model }) => model))].filter((model) => !listed.has(model));
}

function parseJson(response: Buffer): unknown {
  try {
    return JSON.parse(response.toString('utf8')) as unknown;
  } catch {
    // Another format than JSON contains no list.
    return null;
  }
}
