import type { KeyLimitsBody, NewKeyView } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { boundedText, parseInstant } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { createApiKey } from '../../operations/key/create-api-key.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OwnerHandler } from '../route.js';
import { keyLimitsBody, toKeyLimits } from './key-limits-body.js';

interface Body {
  readonly name: string;
  readonly expires_at: Date | null;
  readonly limits: KeyLimitsBody;
}

const createKeyBody: Joi.ObjectSchema<Body> = Joi.object({
  name: boundedText(200)
    .default('')
    .messages({ '*': 'A name has at most 200 characters, without NUL characters and unpaired surrogates.' }),
  expires_at: Joi.string()
    .custom((text: string, helpers) => parseInstant(text) ?? helpers.error('any.invalid'))
    .allow(null)
    .default(null)
    .messages({
      '*': 'The end of a key is a date, or a date and time such as 2030-01-31T00:00:00Z, of the years 0001 to 9999.',
    }),
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
        expiresAt: expires_at,
        limits: toKeyLimits(limits),
        actor: user.email,
      },
    );
    const view: NewKeyView = { id: created.id, prefix: created.prefix, key: created.key };
    return dataReply(view);
  };
}
