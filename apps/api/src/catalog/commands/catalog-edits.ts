import type { ModelEdit } from '@image-gateway/shared/catalog/document';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { QUALITIES, RESOLUTIONS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';
import type { CliContext, CliResult } from '../../cli/cli-context.js';
import { defineCommand } from '../../cli/define-command.js';
import { readAmount, refused } from '../../cli/read-values.js';
import { type DocumentModels, editCatalog } from '../edit-catalog.js';
import type { AgreedLeaps } from '../judge-impact.js';
import { findVersion } from '../versions.js';
import { renderEdited } from './catalog-apply.js';
import { YES } from './catalog-versions.js';
import { readEnabledModels } from './describe-applied.js';

const switchModel = (about: string, enabled: boolean) =>
  defineCommand({
    about: `${about}; every process follows within 5 s`,
    args: { model: 'model' },
    example: 'nanobanana-pro',
    run: async (context, { model: id }) => {
      const decided = readEnabledModels(context.env);
      if (decided) {
        throw new AppError('BAD_REQUEST', {
          publicMessage: `ENABLED_MODELS is set (${decided.join(', ')}) and decides what is on offer. Change it there, or unset it.`,
        });
      }
      return applyEdit(context, id, () => ({ id, enabled }));
    },
  });

/** Commands `catalog set-price`, `catalog enable` and `catalog disable`. */
export const commands = {
  'set-price': defineCommand({
    about: 'Change one price of a model; every process follows within 5 s',
    args: {
      model: 'model',
      offer: 'resolution, with the quality where the model has prices by quality: 2k/high',
      amount: 'dollars an image',
    },
    options: { yes: YES },
    example: 'nanobanana 1k 0.0500',
    run: async (context, { model: id, offer, amount, yes }) => {
      const [resolution = '', quality] = offer.split('/');
      const dollars = formatDollars(readAmount('amount', parseDollars)(amount)).slice(1);
      const edit = ({ price = {} }: DocumentModels[string]): ModelEdit => ({
        id,
        price: setPrice({ id, price }, [resolution, quality], dollars),
      });
      return applyEdit(context, id, edit, yes ? 'all' : []);
    },
  }),
  enable: switchModel('Put a model on offer', true),
  disable: switchModel('Take a model off offer; its open tasks go on', false),
};

async function applyEdit(
  context: CliContext,
  id: string,
  edit: (model: DocumentModels[string]) => ModelEdit,
  agreed: AgreedLeaps = [],
): Promise<CliResult> {
  const active = await findVersion(context.db(), null);
  const edited = await editCatalog(context.db(), {
    active,
    actor: 'cli',
    origin: 'edit',
    agreed,
    edit: (models) => {
      const model = Object.hasOwn(models, id) ? models[id] : undefined;
      if (model === undefined) {
        throw new AppError('NOT_FOUND', {
          publicMessage: `The catalog has no model ${id}. It has: ${Object.keys(models).join(', ')}`,
        });
      }
      return { edits: [edit(model)] };
    },
  });
  return renderEdited(context, edited);
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
    throw refused(
      `${given} is no offer. Say a resolution (${RESOLUTIONS.join(', ')}), with a quality as 2k/high.`,
    );
  }
  if (typeof before === 'object' && quality === undefined) {
    const names = Object.keys(before).map((one) => `${known}/${one}`);
    throw refused(`${id} has prices by quality at ${known}. Say one of ${names.join(', ')}.`);
  }
  if (typeof before === 'string' && quality !== undefined) {
    throw refused(`${id} has one price at ${known}. Leave the quality out.`);
  }
  const own = quality === undefined ? amount : { ...(before as Record<string, string>), [quality]: amount };
  return { ...(price as Record<string, DollarsByQuality>), [known]: own };
}
