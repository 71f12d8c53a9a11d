import type { KeyLimitsBody, NewKeyView } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import Joi from 'joi';
import { createApiKey } from '../../operations/key/create-api-key.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OwnerHandler } from '../route.js';
import { keyLimitsBody, toKeyLimits } from './key-limits-body.js';

interface Body {
  readonly name: string;
  readonly expires_at: string | null;
  readonly limits: KeyLimitsBody;
}

const createKeyBody: Joi.ObjectSchema<Body> = Joi.object({
  name: Joi.string().allow('').max(200).default('').messages({ '*': 'A name is a short text.' }),
  expires_at: Joi.string()
    .isoDate()
    .allow(null)
    .default(null)
    .messages({ '*': 'The end of a key is a date and time such as 2030-01-31T00:00:00Z.' }),
  limits: keyLimitsBody.default({}),
}).required();

/** `POST /dashboard/api/keys`: makes a key and shows it, this once. */
export function createKey({ db }: { readonly db: PrismaDatabase }): OwnerHandler<'post /keys'> {
  return async ({ accountId, user, body }) => {
    const { name, expires_at, limits } = readBody(createKeyBody, body);
    const created = await createApiKey(
      { db },
      {
        accountId,
        name: name.trim(),
        expiresAt: expires_at === null ? null : new Date(expires_at),
        limits: toKeyLimits(limits),
        actor: user.email,
      },
    );
    const view: NewKeyView = { id: created.id, prefix: created.prefix, key: created.key };
    return dataReply(view);
  };
}
