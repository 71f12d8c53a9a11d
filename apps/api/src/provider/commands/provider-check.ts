import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type Catalog,
  findTrialRoute,
  getKeyVariable,
  mergeStoredKeys,
  readWithStoredKeys,
  type TrialRoute,
} from '@image-gateway/shared/catalog/document';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import type { ProviderCheckResult } from '@image-gateway/shared/provider/schema';
import type { ProviderPlaces } from '@image-gateway/shared/upstream-checks';
import { createKeyReader, upstreamSettings } from '@image-gateway/shared/upstreams';
import type { CliContext } from '../../cli/cli-context.js';
import { defineCommand, flag, option } from '../../cli/define-command.js';
import { refused } from '../../cli/read-values.js';
import { renderFields } from '../../cli/render.js';
import { addProviderCheck, findProviderCheck } from '../add-provider-check.js';
import { requireProvider } from '../list-managed-providers.js';

const PROGRAM = 'apps/generation-worker/dist/checks/main.js';
const SHOWN_MODELS = 20;
/** Stands for a key in containers of the API, which get none (docker/compose.yaml). */
const PLACEHOLDER = 'configured';

/** Command `provider check`, which tries a provider with the keys and addresses of this environment. */
export const commands = {
  check: defineCommand({
    about:
      'Try the keys of a provider with a free call and list its models; --draw asks for one image, says its cost first and waits for a yes',
    args: { name: 'built-in provider or instance of the catalog' },
    options: {
      model: option('<model>', 'a model of the catalog or of the provider: is it listed, and draw with it'),
      draw: flag('draw one image, which costs money'),
      yes: flag('do not ask before the image'),
    },
    example: 'fal --draw',
    run: async (context, { name, model = null, draw, yes: isAgreed }) => {
      const catalog = await requireProvider(context.db(), name);
      const places = await findPlaces(context, catalog, name);
      const trial = draw ? await confirmDrawing(context, catalog, { name, model, isAgreed }) : null;
      // The client of providers takes longer to load than most commands take to run.
      const { checkProvider } = await import('@image-gateway/shared/upstream-checks');
      const result = trial
        ? await drawHere(context, { name, model, trial })
        : await checkProvider(name, places);
      const isListed = model === null ? null : findListed(result, catalog, { name, model });
      const value = { name, ...result, ...(isListed !== null && { listed: isListed }) };
      const isFaulty =
        result.keys.some((key) => key.result === 'refused') ||
        isListed === false ||
        (result.image !== null && result.image.reason !== null);
      return { value, text: render(name, result, isListed), failed: isFaulty };
    },
  }),
};

/** Provider to try, and the model that is asked for; null for any. */
interface Wish {
  readonly name: string;
  readonly model: string | null;
}

/** Finds what this environment knows of providers. Throws AppError where it only knows that the workers have a key. */
async function findPlaces({ env, db }: CliContext, catalog: Catalog, name: string): Promise<ProviderPlaces> {
  const settings = loadSettings({ ...upstreamSettings, OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW }, env);
  const { readStoredKeys } = await import('../../doctor/check-stored-keys.js');
  const keys = await readStoredKeys(env, db(), Promise.resolve(catalog));
  const places = {
    catalog,
    settings: mergeStoredKeys(settings, keys),
    readKeys: readWithStoredKeys(createKeyReader(env), keys),
  };
  const variable = getKeyVariable(name, catalog);
  if (variable !== null && env[variable] === PLACEHOLDER) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `Only the generation workers have the key of ${name}. Try it on the page "Providers", or set ${variable} here.`,
    });
  }
  return places;
}

/** Finds the image to draw, and asks before it costs money. Throws AppError where there is none, or nobody agrees. */
async function confirmDrawing(
  { ask }: CliContext,
  catalog: Catalog,
  { name, model, isAgreed }: Wish & { readonly isAgreed: boolean },
): Promise<TrialRoute> {
  const trial = findTrialRoute(catalog, name, model);
  if (trial === null) {
    throw new AppError('NOT_FOUND', {
      publicMessage: `No model has a route of ${name}${model === null ? '' : ` for ${model}`} that draws; add one with: catalog apply`,
    });
  }
  const what = `One image of ${trial.route.model} at ${name} costs about ${formatDollars(trial.costMicros)}.`;
  if (!isAgreed && !/^y(es)?$/i.test((await ask(`${what} Draw it? [y/N] `)).trim())) {
    throw refused(`${what} Nothing was drawn; agree with: --yes`);
  }
  return trial;
}

/** Draws in a process of the generation worker, which has the adapters; running workers leave the check to it. */
async function drawHere(
  { env, db, projectDir }: CliContext,
  { name: provider, model, trial }: Wish & { readonly trial: TrialRoute },
): Promise<ProviderCheckResult> {
  const { costMicros: imageMicros } = trial;
  const check = { provider, model, imageMicros, isOwn: true, actor: 'cli' };
  const id = await addProviderCheck(db(), check);
  const complaint = await runOwnCheck({ env, projectDir }, id);
  const { result } = await findProviderCheck(db(), id);
  if (result === null) {
    throw new AppError('INTERNAL_ERROR', {
      publicMessage: `The check did not end: ${complaint || 'its process was stopped'}`,
    });
  }
  return result;
}

/**
 * Runs a check in a process of the generation worker, since the adapters of providers are there. Returns what it complains
 * about; empty for nothing.
 */
async function runOwnCheck(
  { env, projectDir }: Pick<CliContext, 'env' | 'projectDir'>,
  id: string,
): Promise<string> {
  const program = join(projectDir, PROGRAM);
  if (!existsSync(program)) {
    throw new AppError('INTERNAL_ERROR', {
      publicMessage: `${PROGRAM} is missing here: build the project first (npm run build).`,
    });
  }
  const child = spawn(process.execPath, [program, id], {
    env: { ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [complaint] = await Promise.all([
    text(child.stderr),
    new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    }),
  ]);
  return complaint.trim();
}

/** Returns whether the provider lists the upstream model of a name; null where it lists none. */
function findListed(
  { models }: ProviderCheckResult,
  catalog: Catalog,
  { name, model }: { readonly name: string; readonly model: string },
): boolean | null {
  const own = catalog.models.get(model)?.routes.filter(({ provider }) => provider === name) ?? [];
  const wanted = own.length > 0 ? own.map((route) => route.model) : [model];
  return models === null ? null : wanted.every((one) => models.includes(one));
}

function render(
  name: string,
  { keys, models, missing, image, note }: ProviderCheckResult,
  isListed: boolean | null,
): string {
  const shown = models?.slice(0, SHOWN_MODELS).join(', ');
  const more = (models?.length ?? 0) - SHOWN_MODELS;
  return renderFields({
    provider: name,
    ...Object.fromEntries(
      keys.map((key) => [
        key.fingerprint === null ? 'without_a_key' : `key_${key.last_four ?? key.fingerprint}`,
        [key.result, key.status, key.reason].filter((part) => part !== null).join(' · '),
      ]),
    ),
    ...(note !== null && { note }),
    models: models === null ? 'not listed by a free call' : `${shown}${more > 0 ? ` and ${more} more` : ''}`,
    ...(missing.length > 0 && { routes_without_a_listed_model: missing.join(', ') }),
    ...(isListed !== null && { model_is_listed: isListed }),
    ...(image && {
      image:
        image.reason ??
        `${image.width}x${image.height} ${image.content_type}, ${image.bytes} bytes, ${image.ms} ms`,
      cost: image.cost,
    }),
  });
}
