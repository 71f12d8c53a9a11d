import type { Database } from '@image-gateway/shared/db';
import { applyModels, rollbackModels, setPrices } from '../../../operations/catalog/page/change-models.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';
import { applyBody, pricesBody, rollbackBody } from './change-bodies.js';
import { replyToChange } from './reply-to-change.js';

interface Deps {
  readonly db: Pick<Database, 'run'>;
}

/** `POST /dashboard/api/operator/models/apply`: makes a document without providers the newest version. */
export function postDocument({ db }: Deps): UserHandler<'post /operator/models/apply'> {
  return async ({ user, body }) => {
    const { note, ...change } = readBody(applyBody, body);
    return replyToChange(applyModels(db, { ...change, note: note || null, actor: user.email }));
  };
}

/** `POST /dashboard/api/operator/models/prices`: changes prices and switches of models. */
export function postPrices({ db }: Deps): UserHandler<'post /operator/models/prices'> {
  return async ({ user, body }) =>
    replyToChange(setPrices(db, { ...readBody(pricesBody, body), actor: user.email }));
}

/** `POST /dashboard/api/operator/models/rollback`: makes a new version with the content of an earlier one. */
export function postRollback({ db }: Deps): UserHandler<'post /operator/models/rollback'> {
  return async ({ user, body }) =>
    replyToChange(rollbackModels(db, { ...readBody(rollbackBody, body), actor: user.email }));
}
