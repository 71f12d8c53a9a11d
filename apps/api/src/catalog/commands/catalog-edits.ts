import { Command } from '@commander-js/extra-typings';
import type { ModelEdit } from '@image-gateway/shared/catalog/document';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { QUALITIES, RESOLUTIONS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';
import type { CliRun } from '../../cli/cli-context.js';
import { createAmountParser } from '../../cli/create-amount-parser.js';
import { formatExample } from '../../cli/help.js';
import { type DocumentModels, editCatalog } from '../edit-catalog.js';
import { findVersion } from '../versions.js';
import { renderApplied } from './catalog-apply.js';
import { readEnabledModels } from './describe-applied.js';
import { renderFaults } from './render-faults.js';

/** Builds `catalog set-price`, which changes one price. */
export function buildCatalogSetPrice(run: CliRun) {
  return new Command('set-price')
    .description('Change one price of a model; every process follows within 5 s')
    .argument('<model>', 'model')
    .argument('<offer>', 'resolution, with the quality where the model has prices by quality: 2k/high')
    .argument('<amount>', 'dollars an image', createAmountParser('amount', parseDollars))
    .addHelpText('after', formatExample('catalog set-price nanobanana 1k 0.0500'))
    .action(async (id, offer, amount) => {
      const [resolution = '', quality] = offer.split('/');
      await applyEdit(run, id, ({ price = {} }) => ({
        id,
        price: setPrice({ id, price }, [resolution, quality], formatDollars(amount).slice(1)),
      }));
    });
}

/** Builds `catalog enable`, which puts a model on offer. */
export function buildCatalogEnable(run: CliRun) {
  return buildSwitch(run, { name: 'enable', about: 'Put a model on offer', enabled: true });
}

/** Builds `catalog disable`, which takes a model off offer. */
export function buildCatalogDisable(run: CliRun) {
  return buildSwitch(run, {
    name: 'disable',
    about: 'Take a model off offer; its open tasks go on',
    enabled: false,
  });
}

function buildSwitch(
  run: CliRun,
  { name, about, enabled }: { readonly name: string; readonly about: string; readonly enabled: boolean },
) {
  return new Command(name)
    .description(`${about}; every process follows within 5 s`)
    .argument('<model>', 'model')
    .addHelpText('after', formatExample(`catalog ${name} nanobanana-pro`))
    .action(async (id) => {
      const decided = readEnabledModels(run.env);
      if (decided) {
        throw new AppError('BAD_REQUEST', {
          publicMessage: `ENABLED_MODELS is set (${decided.join(', ')}) and decides what is on offer. Change it there, or unset it.`,
        });
      }
      await applyEdit(run, id, () => ({ id, enabled }));
    });
}

async function applyEdit(
  run: CliRun,
  id: string,
  edit: (model: DocumentModels[string]) => ModelEdit,
): Promise<void> {
  const active = await findVersion(run.db(), null);
  const edited = await editCatalog(run.db(), {
    active,
    actor: 'cli',
    origin: 'edit',
    edit: (models) => {
      const model = Object.hasOwn(models, id) ? models[id] : undefined;
      if (model === undefined) {
        throw new AppError('NOT_FOUND', {
          publicMessage: `The catalog has no model ${id}. It has: ${Object.keys(models).join(', ')}`,
        });
      }
      return [edit(model)];
    },
  });
  run.show('faults' in edited ? renderFaults(edited.faults) : await renderApplied(run, edited));
}

/** Returns the prices of a model with one that is another. Throws AppError `VALIDATION_ERROR` for an offer that it can't have. */
function setPrice(
  { id, price }: { readonly id: string; readonly price: NonNullable<DocumentModels[string]['price']> },
  [resolution, quality]: readonly [string, string | undefined],
  amount: string,
): Readonly<Record<string, DollarsByQuality>> {
  const known = RESOLUTIONS.find((one) => one === resolution);
  const before = known && price[known];
  const given = `${resolution}${quality === undefined ? '' : `/${quality}`}`;
  if (!known || (quality !== undefined && !QUALITIES.some((one) => one === quality))) {
    throw refuse(
      `${given} is no offer. Say a resolution (${RESOLUTIONS.join(', ')}), with a quality as 2k/high.`,
    );
  }
  if (typeof before === 'object' && quality === undefined) {
    const names = Object.keys(before).map((one) => `${known}/${one}`);
    throw refuse(`${id} has prices by quality at ${known}. Say one of ${names.join(', ')}.`);
  }
  if (typeof before === 'string' && quality !== undefined) {
    throw refuse(`${id} has one price at ${known}. Leave the quality out.`);
  }
  const own = quality === undefined ? amount : { ...(before as Record<string, string>), [quality]: amount };
  return { ...(price as Record<string, DollarsByQuality>), [known]: own };
}

function refuse(publicMessage: string): AppError {
  return new AppError('VALIDATION_ERROR', { publicMessage });
}
