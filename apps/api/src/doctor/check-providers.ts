import {
  type Catalog,
  listKeyFaults,
  listProvidersInUse,
  mergeStoredKeys,
  type OpenedKeys,
  readWithStoredKeys,
} from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import {
  type CheckSettings,
  checkUpstream,
  configureProvider,
  type UpstreamCheck,
} from '@image-gateway/shared/upstream-checks';
import {
  type ConfiguredUpstream,
  chooseProviders,
  createKeyReader,
  describeKey,
  UPSTREAMS,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import { listRoutes } from '../provider/list-routes.js';
import { readProviderChoice } from '../provider/read-providers-in-use.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

type Env = Readonly<Record<string, string | undefined>>;

const { OUTBOUND_ALLOW, ALLOW_SIGNUP, SIGNUP_CREDIT, SMTP_URL } = sharedSettings;
const table = { ...upstreamSettings, OUTBOUND_ALLOW, ALLOW_SIGNUP, SIGNUP_CREDIT, SMTP_URL };

/** Results of the providers, and the ends of models that their lists state; null for one whose list states none, or did not come. */
export interface ProviderResults {
  readonly results: readonly CheckResult[];
  readonly ends: ReadonlyMap<string, UpstreamCheck['ends']>;
}

/** Checks every key of every configured provider with a free call, and that the provider offers the models of the routes. */
export async function checkProviders(
  env: Env,
  catalog: Promise<Catalog>,
  stored: Promise<OpenedKeys['keys']>,
): Promise<ProviderResults> {
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
      const upstream = configureProvider(name, { settings, catalog: active, readKeys }, null);
      if (upstream === null) {
        return {
          name,
          results: [fine(name, 'draws test images and calls no upstream; needs no key')],
          ends: null,
        };
      }
      const models = routes.filter(({ provider }) => provider === name).map(({ model }) => model);
      return checkUsed(upstream, [...new Set(models)], settings);
    });
    const unusable = listKeyFaults(active, createKeyReader(env)).map(({ name, variable, fault: what }) =>
      fault(
        name,
        `${variable} has a key that cannot be used and is sent nowhere: it ${what}`,
        `Correct ${variable}.`,
      ),
    );
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
    const isPaid = inUse.names.some(
      (name) => configureProvider(name, { settings, catalog: active, readKeys }, null) !== null,
    );
    const gifts =
      isPaid && settings.ALLOW_SIGNUP && settings.SIGNUP_CREDIT > 0n && settings.SMTP_URL === undefined
        ? [
            warning(
              'sign-up',
              'SIGNUP_CREDIT pays for images of providers, and no mail confirms the address that it is given to',
              'Set SMTP_URL and MAIL_FROM, or SIGNUP_CREDIT=0.',
            ),
          ]
        : [];
    const checked = await Promise.all(checks);
    const results = checked.flatMap((one) => one.results);
    return {
      results: [...results, ...unusable, ...idle, ...missing, ...none, ...gifts],
      ends: new Map(checked.map(({ name, ends }) => [name, ends])),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    const results = error.faults.map((text) =>
      fault('providers', text, 'Set it in the environment of the generation workers.'),
    );
    return { results, ends: new Map() };
  }
}

async function checkUsed(
  upstream: ConfiguredUpstream,
  models: readonly string[],
  settings: CheckSettings,
): Promise<{ readonly name: string; readonly results: CheckResult[]; readonly ends: UpstreamCheck['ends'] }> {
  const { keys, models: listed, ends } = await checkUpstream(upstream, settings);
  const missing = listed === null ? [] : models.filter((model) => !listed.includes(model));
  return { name: upstream.name, results: keys.map((key) => judgeKey(upstream, key, missing)), ends };
}

function judgeKey(
  { name, protocol, settings }: ConfiguredUpstream,
  key: UpstreamCheck['keys'][number],
  missing: readonly string[],
): CheckResult {
  const { fingerprint, last_four: lastFour = '', result, status, reason } = key;
  const which = fingerprint === null ? 'without a key' : describeKey({ fingerprint, lastFour });
  if (status === null) {
    return fault(name, reason ?? 'it cannot be reached', `Check the network and ${settings.address}.`);
  }
  if (result === 'refused' || status === 403) {
    return fault(
      name,
      `${which} is refused (${status})`,
      fingerprint === null
        ? `Set a key in ${settings.keys}, or with: provider key set ${name}. A line "stored keys" says why a stored one is not used.`
        : `Set a valid key in ${settings.keys}: ${UPSTREAMS[protocol].keysAt}`,
    );
  }
  if (result === 'unclear') {
    return warning(
      name,
      `${which}: the provider responds with ${status}`,
      'Try again later, or check its status page.',
    );
  }
  return missing.length === 0
    ? fine(name, `${which} is accepted`)
    : warning(
        name,
        `${which} is accepted, but ${missing.join(', ')} is not offered`,
        'Remove the route with catalog apply, or request access to the model.',
      );
}
