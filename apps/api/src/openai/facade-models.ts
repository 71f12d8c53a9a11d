import type { Offers } from '../catalog/create-offers.js';
import { FieldError } from '../file/uploads/field-error.js';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { mayUseModel } from '../http/keys/key-rights.js';

/** Dependencies of the handlers. */
export interface FacadeModelsDeps {
  readonly offers: Pick<Offers, 'load'>;
}

const HEADERS = { 'Cache-Control': 'no-store' };

/** `GET /openai/v1/models`: ids and aliases of the models that the key may use. Clients such as n8n show only names that they know. */
export function listFacadeModels({ offers }: FacadeModelsDeps): Handler<KeyCall> {
  return async (call) => ({
    status: 200,
    headers: HEADERS,
    json: { object: 'list', data: (await listNames(offers, call)).map(presentName) },
  });
}

/** `GET /openai/v1/models/{id}`: one of them. */
export function getFacadeModel({ offers }: FacadeModelsDeps): Handler<KeyCall> {
  return async (call) => {
    const name = call.params.id ?? '';
    if (!(await listNames(offers, call)).includes(name)) {
      throw new FieldError('NOT_FOUND', {
        param: 'model',
        reason: 'model_not_found',
        publicMessage: 'There is no such model on offer. GET /openai/v1/models lists them.',
      });
    }
    return { status: 200, headers: HEADERS, json: presentName(name) };
  };
}

async function listNames(
  offers: Pick<Offers, 'load'>,
  { caller }: Pick<KeyCall, 'caller'>,
): Promise<string[]> {
  const { models } = await offers.load();
  const allowed = models.filter(({ id }) => mayUseModel(caller, id));
  return allowed.flatMap(({ id, aliases }) => [id, ...aliases]);
}

function presentName(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'image-gateway' };
}
