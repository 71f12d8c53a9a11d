import { type Catalog, describeKeySources, locateProvider } from '@image-gateway/shared/catalog/document';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { describeKeyCheck, explainUntested } from '@image-gateway/shared/presenters';
import {
  createKeyReader,
  PROVIDER_NAMES,
  splitKeys,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import type { CliContext } from '../../cli/cli-context.js';
import { defineCommand, fields, flag, table } from '../../cli/define-command.js';
import { refused } from '../../cli/read-values.js';
import {
  presentProviderKeys,
  refuseFaultyKeys,
  removeProviderKeys,
  setProviderKeys,
} from '../provider-keys.js';

/** Commands `provider key …`, which keep keys of providers in the database, encrypted. */
export const commands = {
  set: defineCommand({
    about:
      'Store the keys of a provider, encrypted, from standard input: separated by commas or line ends, ' +
      'or the JSON file of a service account; workers follow within 5 s',
    args: { name: 'built-in provider or instance of the catalog' },
    options: { noCheck: flag('store them without a call of the provider') },
    example: 'fal < fal.key',
    run: async ({ env, db, readInput }, { name, noCheck }) => {
      const keys = splitKeys(await readInput());
      if (keys.length === 0) {
        throw refused('Standard input holds no key. Send it there: provider key set NAME < FILE');
      }
      const { ENCRYPTION_KEY } = sharedSettings;
      const { ENCRYPTION_KEY: encryptionKeys } = loadSettings({ ENCRYPTION_KEY }, env);
      const { catalog } = await loadActiveCatalog(db());
      const place = locateProvider(name, loadSettings(upstreamSettings, env), catalog);
      if (place === null) {
        const builtIn = PROVIDER_NAMES.filter((one) => one !== 'sandbox').join(', ');
        throw new AppError('NOT_FOUND', {
          publicMessage: `There is no provider ${name} that takes keys. Built in: ${builtIn}. Instances of the catalog need a key_env.`,
        });
      }
      refuseFaultyKeys(place, keys);
      const reason = noCheck ? 'not checked' : await checkKeys(env, catalog, place, keys);
      const tested = reason === null;
      await setProviderKeys(db(), encryptionKeys, { place, text: keys.join(','), tested, actor: 'cli' });
      return fields(
        { name, tested, address: place.hostPort, ...(reason !== null && { reason }) },
        'Generation workers that have ENCRYPTION_KEY use it within 5 s.',
      );
    },
  }),
  remove: defineCommand({
    about:
      'Remove the stored keys of a provider, but for the jobs that they submitted; workers follow within 5 s',
    args: { name: 'provider' },
    options: { now: flag('remove them for their running jobs too, which are lost') },
    example: 'fal',
    run: async ({ db }, { name, now }) =>
      fields({ name, running_jobs: await removeProviderKeys(db(), { name, actor: 'cli', now }) }),
  }),
  list: defineCommand({
    about: 'List where the keys of providers come from; no key is shown',
    run: async ({ env, db }) => {
      const { catalog } = await loadActiveCatalog(db());
      const here = describeKeySources(
        catalog,
        { settings: loadSettings(upstreamSettings, env), readKeys: createKeyReader(env) },
        new Map(),
      );
      const ofEnvironment = Object.entries(here).flatMap(([name, { source, keys = [] }]) =>
        source === null
          ? []
          : [{ name, last_four: keys.flatMap(({ lastFour }) => lastFour || []).join(', '), source }],
      );
      return table([...(await presentProviderKeys(db())), ...ofEnvironment]);
    },
  }),
};

async function checkKeys(
  env: CliContext['env'],
  catalog: Catalog,
  { name }: { readonly name: string },
  keys: readonly string[],
): Promise<string | null> {
  // The client of providers takes longer to load than most commands take to run.
  const { checkProvider } = await import('@image-gateway/shared/upstream-checks');
  const settings = loadSettings({ ...upstreamSettings, OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW }, env);
  const checked = await checkProvider(name, { settings, catalog, readKeys: () => keys }, keys);
  const wrong = checked.keys.find(({ result }) => result === 'refused');
  if (wrong) {
    throw refused(`${name} refuses the key (${describeKeyCheck(wrong)}); nothing is stored.`);
  }
  return explainUntested(checked);
}
