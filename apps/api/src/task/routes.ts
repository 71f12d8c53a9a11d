import { cancelTask } from '@image-gateway/shared/billing';
import { DEFAULT_KEY_SCOPES, PLAYGROUND_KEY_ID, toSlice } from '@image-gateway/shared/contract';
import { listTasks, toTimestamp } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { publicFile } from '@image-gateway/shared/file/schema';
import { newId } from '@image-gateway/shared/ids';
import { list, nothing, paged } from '@image-gateway/shared/schema';
import {
  galleryPage,
  galleryQuery,
  type PlaygroundModel,
  type PlaygroundView,
  playgroundBody,
  playgroundRun,
  playgroundView,
  publicTask,
  taskDetail,
  taskItem,
  tasksQuery,
} from '@image-gateway/shared/task/schema';
import { presentForm, presentModel } from '../catalog/present-model.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { uploadFile } from '../file/upload-file.js';
import { getUploadedFile } from '../file/uploaded-file.js';
import { defineRoute, type OwnerCall, owners } from '../http/define-route.js';
import type { Caller, KeyCall } from '../http/framework/call.js';
import { omitUndefined, pageReply } from '../http/query.js';
import { getAccountLimits, rateLimitError } from '../http/rate-limits.js';
import { deleteTask } from './delete-task.js';
import { findOwnTaskDetail } from './find-own-task-detail.js';
import { getTaskMask } from './get-task-mask.js';
import { listOwnImages } from './list-own-images.js';
import { listPlaygroundRuns } from './list-playground-runs.js';
import { presentTaskItem } from './present-task-item.js';

const DAY_MS = 86_400_000;

/** Routes of the tasks and images of an account. Another account's task is as unknown as none. */
export function taskRoutes(deps: DashboardDeps) {
  const { db, reads, fileUrl } = deps;
  const readFile = getUploadedFile(deps);
  const sendMask = getTaskMask(deps);
  return [
    defineRoute({
      ...owners,
      method: 'get',
      path: '/playground',
      summary: 'List the models of the playground',
      response: playgroundView,
      run: () => viewPlayground(deps),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/generate',
      summary: 'Submit a task from the playground',
      response: publicTask,

      body: playgroundBody,
      isLarge: true,
      reply: async (call) => deps.generate(await admitAsKey(deps, call)),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/files',
      summary: 'Keep an image for a request',
      response: publicFile,
      run: async (call) => uploadFile(deps, await admitAsKey(deps, call)),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/files/:id',
      summary: 'Fetch a file of a request',
      send: async (call) => readFile({ ...call, caller: toCaller(call) }),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/runs',
      summary: 'List the runs of the playground',
      response: list(playgroundRun),

      run: ({ accountId }) => listPlaygroundRuns({ db: reads.ofAccount(accountId), fileUrl }, accountId),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/tasks',
      summary: 'List the tasks',
      response: paged(taskItem),

      query: tasksQuery(deps.queries),
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
    defineRoute({
      ...owners,
      method: 'get',
      path: '/tasks/:id',
      summary: 'Read a task',
      response: taskDetail,

      run: ({ accountId, params: { id = '' } }) => findOwnTaskDetail(deps, { accountId, id }),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/tasks/:id/mask',
      summary: 'Fetch the mask of a task',
      send: async (call) => sendMask(call),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/tasks/:id/cancel',
      summary: 'Cancel a task',
      response: nothing,

      run: async ({ accountId, user, params: { id = '' } }) => {
        const task = { taskId: id, accountId, actor: user.email };
        if ((await cancelTask({ db, newId, fileUrl }, task)) === 'unknown') {
          throw notFound('task', id);
        }
      },
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/tasks/:id/delete',
      summary: 'Delete a finished task',
      response: nothing,

      run: ({ accountId, user, params: { id = '' } }) =>
        deleteTask(db, { taskId: id, accountId, actor: user.email }),
    }),
    defineRoute({
      ...owners,
      method: 'get',
      path: '/images',
      summary: 'List the images',
      response: galleryPage,

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
      const { id, name, family = null, types, price, prices = {}, accepts } = presentModel(model);
      return {
        id,
        name,
        generates: types.includes('image_generate'),
        family,
        fields: presentForm(model),
        max_inputs: types.includes('image_edit') ? model.maxInputs : 0,
        has_masks: accepts.mask === true,
        prices: price,
        prices_by_quality: prices as PlaygroundModel['prices_by_quality'],
      };
    }),
  };
}
