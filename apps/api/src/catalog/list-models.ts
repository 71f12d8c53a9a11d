import { ok } from '@image-gateway/shared/contract';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { mayUseModel } from '../http/keys/key-rights.js';
import type { Offers } from './create-offers.js';
import { presentModel } from './present-model.js';

/** Dependencies of the handler. */
export interface ListModelsDeps {
  readonly offers: Pick<Offers, 'load'>;
}

/** `GET /v1/models`: the models on offer that the key may use, with their prices. */
export function listModels({ offers }: ListModelsDeps): Handler<KeyCall> {
  return async ({ caller }) => {
    const { models: all } = await offers.load();
    const models = all.filter(({ id }) => mayUseModel(caller, id));
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok(models.map(presentModel)) };
  };
}
