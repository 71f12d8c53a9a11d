import type { Route } from '../http/framework/call.js';
import { ASYNC_TASKS_PATH } from './answers/present-async-task.js';
import {
  EDITS_PATH,
  editImages,
  GENERATIONS_PATH,
  generateImages,
  type ImageDeps,
  toAsyncPath,
} from './draw-images.js';
import { getFacadeModel, listFacadeModels } from './facade-models.js';
import { getAsyncTask } from './get-async-task.js';

/** Path of everything that speaks the protocol of OpenAI. */
export const FACADE_PATH = '/openai/v1';

/** The OpenAI-compatible facade: a translation beside `/v1`, with the same keys, limits, money and tasks. */
export function facadeRoutes(deps: ImageDeps): readonly Route[] {
  const key = { access: 'key', scopes: ['generate'] } as const;
  return [
    { ...key, method: 'post', path: GENERATIONS_PATH, body: 'small-json', handle: generateImages(deps) },
    { ...key, method: 'post', path: EDITS_PATH, handle: editImages(deps) },
    {
      ...key,
      method: 'post',
      path: toAsyncPath(GENERATIONS_PATH),
      body: 'small-json',
      handle: generateImages(deps, { isAsyncRoute: true }),
    },
    {
      ...key,
      method: 'post',
      path: ASYNC_TASKS_PATH,
      body: 'small-json',
      handle: generateImages(deps, { isAsyncRoute: true }),
    },
    {
      ...key,
      method: 'post',
      path: toAsyncPath(EDITS_PATH),
      handle: editImages(deps, { isAsyncRoute: true }),
    },
    {
      access: 'key',
      scopes: ['read', 'generate'],
      method: 'get',
      path: `${ASYNC_TASKS_PATH}/:id`,
      handle: getAsyncTask(deps),
    },
    { ...key, method: 'get', path: `${FACADE_PATH}/models`, handle: listFacadeModels(deps) },
    { ...key, method: 'get', path: `${FACADE_PATH}/models/:id`, handle: getFacadeModel(deps) },
  ];
}
