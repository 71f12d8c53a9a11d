import { type ApiRoute, defineApiRoute } from '../http/define-route.js';
import { idempotencyKey } from '../http/openapi/parameters.js';
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
import {
  EDIT_BODY,
  facadeModel,
  facadeModels,
  facadeTask,
  GENERATION_BODY,
  IMAGE_RESPONSES,
} from './schemas.js';

/** Path of everything that speaks the protocol of OpenAI. */
export const FACADE_PATH = '/openai/v1';

/** The OpenAI-compatible facade: a translation beside `/v1`, with the same keys, limits, money and tasks. */
export function facadeRoutes(deps: ImageDeps): readonly ApiRoute[] {
  const key = { door: 'openai', access: 'key', roles: ['generate'] } as const;
  const submit = { ...key, method: 'post', headers: [idempotencyKey] } as const;
  const accepted = { response: facadeTask, answer: { status: 202, description: 'The task.' } } as const;
  return [
    defineApiRoute({
      ...submit,
      path: GENERATIONS_PATH,
      reads: 'small-json',
      id: 'facadeGenerate',
      summary: 'Generate images and wait for them, as OpenAI does',
      requestBody: GENERATION_BODY,
      responses: IMAGE_RESPONSES,
      run: generateImages(deps),
    }),
    defineApiRoute({
      ...submit,
      path: EDITS_PATH,
      id: 'facadeEdit',
      summary: 'Edit images and wait for the results, as OpenAI does',
      requestBody: EDIT_BODY,
      responses: IMAGE_RESPONSES,
      run: editImages(deps),
    }),
    defineApiRoute({
      ...submit,
      ...accepted,
      path: toAsyncPath(GENERATIONS_PATH),
      reads: 'small-json',
      id: 'facadeGenerateAsync',
      summary: 'Generate images without waiting, in the dialect of other gateways',
      requestBody: GENERATION_BODY,
      run: generateImages(deps, { isAsyncRoute: true }),
    }),
    defineApiRoute({
      ...submit,
      ...accepted,
      path: toAsyncPath(EDITS_PATH),
      id: 'facadeEditAsync',
      summary: 'Edit images without waiting, in the dialect of other gateways',
      requestBody: EDIT_BODY,
      run: editImages(deps, { isAsyncRoute: true }),
    }),
    defineApiRoute({
      ...submit,
      ...accepted,
      path: ASYNC_TASKS_PATH,
      reads: 'small-json',
      id: 'facadeSubmitTask',
      summary: 'The same as `/openai/v1/images/generations/async`, for clients that submit tasks here',
      requestBody: GENERATION_BODY,
      run: generateImages(deps, { isAsyncRoute: true }),
    }),
    defineApiRoute({
      ...key,
      roles: ['read', 'generate'],
      method: 'get',
      path: `${ASYNC_TASKS_PATH}/:id`,
      id: 'facadeGetTask',
      summary: 'Read a task in the dialect of other gateways',
      response: facadeTask,
      answer: { description: 'The task as it is now.' },
      run: getAsyncTask(deps),
    }),
    defineApiRoute({
      ...key,
      method: 'get',
      path: `${FACADE_PATH}/models`,
      id: 'facadeListModels',
      summary: 'List ids and aliases of the models on offer',
      response: facadeModels,
      answer: { description: 'The models.' },
      run: listFacadeModels(deps),
    }),
    defineApiRoute({
      ...key,
      method: 'get',
      path: `${FACADE_PATH}/models/:id`,
      id: 'facadeGetModel',
      summary: 'Find a model by its id or alias',
      response: facadeModel,
      answer: { description: 'The model.' },
      run: getFacadeModel(deps),
    }),
  ];
}
