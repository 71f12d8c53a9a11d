import { Command } from '@commander-js/extra-typings';
import { type Catalog, locateProvider } from '@image-gateway/shared/catalog/document';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { describeKeyCheck, explainUntested } from '@image-gateway/shared/presenters';
import { PROVIDER_NAMES, splitKeys, UPSTREAMS, upstreamSettings } from '@image-gateway/shared/upstreams';
import type { CliRun } from '../../cli/cli-context.js';
import { formatExample } from '../../cli/help.js';
import { renderFields } from '../../cli/render-fields.js';
import { renderTable } from '../../cli/render-table.js';
import {
  presentProviderKeys,
  refuseFaultyKeys,
  removeProviderKeys,
  setProviderKeys,
} from '../provider-keys.js';

/** Builds `provider key`, which keeps keys of providers in the database, encrypted. */
export function buildProviderKey(run: CliRun) {
  const group = new Command('key').description('Keys of providers in the database');
  for (const command of [buildSet(run), buildRemove(run), buildList(run)]) {
    group.addCommand(command);
  }
  return group;
}

function buildSet(run: CliRun) {
  return new Command('set')
    .description(
      'Store the keys of a provider, encrypted, from standard input: separated by commas or line ends, or the JSON file of a service account; workers follow within 5 s',
    )
    .argument('<name>', 'built-in provider or instance of the catalog')
    .option('--no-check', 'store them without a call of the provider')
    .addHelpText('after', formatExample('provider key set fal < fal.key'))
    .action(async (name, { check }) => {
      const { env, db, show } = run;
      const keys = splitKeys(await run.readInput());
      if (keys.length === 0) {
        throw new AppError('VALIDATION_ERROR', {
          publicMessage: 'Standard input holds no key. Send it there: provider key set NAME < FILE',
        });
      }
      const { ENCRYPTION_KEY: encryptionKeys } = loadSettings(
        { ENCRYPTION_KEY: sharedSettings.ENCRYPTION_KEY },
        env,
      );
      const { catalog } = await loadActiveCatalog(db());
      const place = locateProvider(name, loadSettings(upstreamSettings, env), catalog);
      if (place === null) {
        throw new AppError('NOT_FOUND', {
          publicMessage: `There is no provider ${name} that takes keys. Built in: ${listBuiltIn()}. Instances of the catalog need a key_env.`,
        });
      }
      refuseFaultyKeys(place, keys);
      const reason = check ? await checkKeys(env, catalog, place, keys) : 'not checked';
      await setProviderKeys(db(), encryptionKeys, {
        place,
        text: keys.join(','),
        tested: reason === null,
        actor: 'cli',
      });
      const value = {
        name,
        tested: reason === null,
        address: place.hostPort,
        ...(reason !== null && { reason }),
      };
      show({
        value,
        text: `${renderFields(value)}\n\nGeneration workers that have ENCRYPTION_KEY use it within 5 s.`,
      });
    });
}

async function checkKeys(
  env: CliRun['env'],
  catalog: Catalog,
  { name }: { readonly name: string },
  keys: readonly string[],
): Promise<string | null> {
  // The client of providers takes longer to load than most commands take to run.
  const { checkProvider } = await import('@image-gateway/shared/upstream-checks');
  const settings = loadSettings({ ...upstreamSettings, OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW }, env);
  const checked = await checkProvider(name, { settings, catalog, readKeys: () => keys }, keys);
  const refused = checked.keys.find(({ result }) => result === 'refused');
  if (refused) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `${name} refuses the key (${describeKeyCheck(refused)}); nothing is stored.`,
    });
  }
  return explainUntested(checked);
}

function buildRemove({ db, show }: CliRun) {
  return new Command('remove')
    .description(
      'Remove the stored keys of a provider, but for the jobs that they submitted; workers follow within 5 s',
    )
    .argument('<name>', 'provider')
    .option('--now', 'remove them for their running jobs too, which are lost')
    .addHelpText('after', formatExample('provider key remove fal'))
    .action(async (name, { now = false }) => {
      const value = { name, running_jobs: await removeProviderKeys(db(), { name, actor: 'cli', now }) };
      show({ value, text: renderFields(value) });
    });
}

function buildList({ env, db, show }: CliRun) {
  return new Command('list')
    .description('List where the keys of providers come from; no key is shown')
    .addHelpText('after', formatExample('provider key list'))
    .action(async () => {
      const settings = loadSettings(upstreamSettings, env);
      const here = PROVIDER_NAMES.flatMap((name) => {
        const prefix = name === 'sandbox' ? null : UPSTREAMS[name].envPrefix;
        const keys = prefix === null ? [] : (settings[`${prefix}_API_KEY`] ?? []);
        return keys.length === 0 ? [] : [{ name, source: 'environment' }];
      });
      const value = [...(await presentProviderKeys(db())), ...here];
      show({ value, text: renderTable(value) });
    });
}

const listBuiltIn = (): string => PROVIDER_NAMES.filter((name) => name !== 'sandbox').join(', ');
