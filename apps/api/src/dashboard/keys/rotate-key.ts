import { KEY_GRACE_HOURS, type NewKeyView } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import Joi from 'joi';
import { rotateApiKey } from '../../operations/key/rotate-api-key.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OwnerHandler } from '../route.js';

const rotateKeyBody: Joi.ObjectSchema<{ grace_hours: number }> = Joi.object({
  grace_hours: Joi.number()
    .valid(...KEY_GRACE_HOURS)
    .required()
    .messages({ '*': `The grace time is one of ${KEY_GRACE_HOURS.join(', ')} hours.` }),
}).required();

/** `POST /dashboard/api/keys/{id}/rotate`: a new key in place of an own one, shown this once; the old one works on for the grace time. */
export function rotateKey({ db }: { readonly db: PrismaDatabase }): OwnerHandler<'post /keys/:id/rotate'> {
  return async ({ accountId, user, body, params: { id = '' } }) => {
    const { grace_hours: graceHours } = readBody(rotateKeyBody, body);
    const rotated = await rotateApiKey({ db }, { accountId, keyId: id, graceHours, actor: user.email });
    return dataReply(rotated satisfies NewKeyView);
  };
}
