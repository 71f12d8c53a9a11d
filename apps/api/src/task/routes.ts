import { cancelTask } from '@image-gateway/shared/billing';
import {
  DEFAULT_KEY_SCOPES,
  type GalleryQuery,
  PLAYGROUND_KEY_ID,
  type PlaygroundModel,
  type PlaygroundView,
  TASK_TYPES,
} from '@image-gateway/shared/contract';
import { listTasks, toTimestamp } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import Joi from 'joi';
import { presentDefaultPrices, presentForm, presentModel } from '../catalog/present-model.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { uploadFile } from '../file/upload-file.js';
import { getUploadedFile } from '../file/uploaded-file.js';
import type { Caller, KeyCall } from '../http/framework/call.js';
import type { ListCursor } from '../http/list-cursor.js';
import { omitUndefined, pageReply, toSlice } from '../http/query.js';
import { getAccountLimits, rateLimitError } from '../http/rate-limits.js';
import { cursorField, dayField } from '../http/session/form-fields.js';
import { DASHBOARD_API, type DashboardRoute, type OwnerCall, owner } from '../http/session/route.js';
import { deleteTask } from './delete-task.js';
import { findOwnTaskDetail } from './find-own-task-detail.js';
import { getTaskMask } from './get-task-mask.js';
import { listOwnImages } from './list-own-images.js';
import { listPlaygroundRuns } from './list-playground-runs.js';
import { presentTaskItem } from './present-task-item.js';

const DAY_MS = 86_400_000;

const galleryQuery: Joi.ObjectSchema<Omit<GalleryQuery, 'before'> & { before?: ListCursor }> = Joi.object({
  model: Joi.string().max(100).messages({ '*': 'model must be the id of a model.' }),
  type: Joi.string()
    .valid(...TASK_TYPES)
    .messages({ '*': `type must be one of ${TASK_TYPES.join(', ')}.` }),
  from: dayField,
  to: dayField,
  before: cursorField,
});

/** Routes of the tasks and images of an account. Another account's task is as unknown as none. */
export function taskRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const { db, reads, fileUrl } = deps;
  const readFile = getUploadedFile(deps);
  return [
    owner('get /playground', { run: () => viewPlayground(deps) }),
    owner('post /generate', {
      body: 'document',
      reply: async (call) => deps.generate(await admitAsKey(deps, call)),
    }),
    owner('post /files', { run: async (call) => uploadFile(deps, await admitAsKey(deps, call)) }),
    {
      method: 'get',
      path: `${DASHBOARD_API}/files/:id`,
      access: 'owner',
      handle: (call: OwnerCall) => readFile({ ...call, caller: toCaller(call) }),
    },
    owner('get /runs', {
      run: ({ accountId }) => listPlaygroundRuns({ db: reads.ofAccount(accountId), fileUrl }, accountId),
    }),
    owner('get /tasks', {
      query: deps.queries.tasks,
      reply: async ({ accountId, input }) => {
        const {
          status,
          model,
          type,
          created_after: createdAfter,
          created_before: createdBefore,
          metadata,
        } = input;
        const filter = omitUndefined({ status, model, type, createdAfter, createdBefore, metadata });
        const page = await listTasks(reads.ofAccount(accountId), accountId, filter, toSlice(input));
        const items = page.rows.map((row) => presentTaskItem(row, fileUrl));
        return pageReply(input, items, page.total);
      },
    }),
    owner('get /tasks/:id', {
      run: ({ accountId, params: { id = '' } }) => findOwnTaskDetail(deps, { accountId, id }),
    }),
    {
      method: 'get',
      path: `${DASHBOARD_API}/tasks/:id/mask`,
      access: 'owner',
      handle: getTaskMask(deps),
    },
    owner('post /tasks/:id/cancel', {
      run: async ({ accountId, user, params: { id = '' } }) => {
        const task = { taskId: id, accountId, actor: user.email };
        if ((await cancelTask({ db, newId, fileUrl }, task)) === 'unknown') {
          throw notFound('task', id);
        }
      },
    }),
    owner('post /tasks/:id/delete', {
      run: ({ accountId, user, params: { id = '' } }) =>
        deleteTask(db, { taskId: id, accountId, actor: user.email }),
    }),
    owner('get /images', {
      query: galleryQuery,
      run: async ({ accountId, input: { model = null, type = null, from, to, before } }) => {
        const end = toTimestamp(to === undefined ? undefined : new Date(Date.parse(to) + DAY_MS), 'infinity');
        return listOwnImages({ db: reads.ofAccount(accountId), fileUrl }, accountId, {
          model,
          type,
          from: from === undefined ? null : new Date(from),
          after: before ?? { time: end, id: '' },
        });
      },
    }),
  ];
}

/**
 * Admits a request that costs as one of the API does: charged to the user's account and limited like one more key of it. Throws
 * AppError `RATE_LIMITED`.
 */
async function admitAsKey(deps: DashboardDeps, call: OwnerCall): Promise<KeyCall> {
  const { accountId, user } = call;
  const requests = user.account?.requests ?? undefined;
  const apiKeyId = `${PLAYGROUND_KEY_ID}:${accountId}`;
  const decision = await deps.limiter.consume(getAccountLimits(deps, { accountId, apiKeyId, requests }));
  if (!decision.allowed) {
    throw rateLimitError(decision);
  }
  return { ...call, caller: toCaller(call) };
}

function toCaller({ accountId }: Pick<OwnerCall, 'accountId'>): Caller {
  return {
    accountId,
    apiKeyId: PLAYGROUND_KEY_ID,
    models: [],
    scopes: DEFAULT_KEY_SCOPES,
    joinEqual: false,
    capPerKey: null,
  };
}

async function viewPlayground({ offers }: Pick<DashboardDeps, 'offers'>): Promise<PlaygroundView> {
  const { models } = await offers.load();
  return {
    models: models.map((model) => {
      const { prices = {}, accepts } = presentModel(model);
      return {
        id: model.id,
        family: model.family,
        fields: presentForm(model),
        max_inputs: model.types.includes('image_edit') ? model.maxInputs : 0,
        has_masks: accepts.mask === true,
        prices: presentDefaultPrices(model),
        prices_by_quality: prices as PlaygroundModel['prices_by_quality'],
      };
    }),
  };
}
