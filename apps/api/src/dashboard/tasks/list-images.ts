import { type GalleryQuery, TASK_TYPES } from '@image-gateway/shared/contract';
import { type Reads, toTimestamp } from '@image-gateway/shared/db';
import Joi from 'joi';
import { readQuery } from '../../http/query.js';
import type { ListCursor } from '../../operations/list-cursor.js';
import { listOwnImages } from '../../operations/task/list-own-images.js';
import { cursorSchema } from '../cursor-schema.js';
import { dataReply } from '../data-reply.js';
import { daySchema } from '../day-schema.js';
import type { OwnerHandler } from '../route.js';

const DAY_MS = 86_400_000;

const galleryQuery: Joi.ObjectSchema<Omit<GalleryQuery, 'before'> & { before?: ListCursor }> = Joi.object({
  model: Joi.string().max(100).messages({ '*': 'model must be the id of a model.' }),
  type: Joi.string()
    .valid(...TASK_TYPES)
    .messages({ '*': `type must be one of ${TASK_TYPES.join(', ')}.` }),
  from: daySchema,
  to: daySchema,
  before: cursorSchema,
});

/** `GET /dashboard/api/images`: the account's images, newest first, part by part. */
export function listImages(deps: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly fileUrl: string;
}): OwnerHandler<'get /images'> {
  return async (call) => {
    const { model = null, type = null, from, to, before } = readQuery(galleryQuery, call);
    const end = toTimestamp(to === undefined ? undefined : new Date(Date.parse(to) + DAY_MS), 'infinity');
    const db = deps.reads.ofAccount(call.accountId);
    return dataReply(
      await listOwnImages({ db, fileUrl: deps.fileUrl }, call.accountId, {
        model,
        type,
        from: from === undefined ? null : new Date(from),
        after: before ?? { time: end, id: '' },
      }),
    );
  };
}
