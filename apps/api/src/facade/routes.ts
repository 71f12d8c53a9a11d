import type { Route } from '../http/framework/call.js';
import type { AnswerDeps } from './answers/answer-images.js';
import { GENERATIONS_PATH, generateImages } from './generate-images.js';
import { getFacadeModel, listFacadeModels } from './list-models.js';

/** Path of everything that speaks the protocol of OpenAI. */
export const FACADE_PATH = '/openai/v1';

/** The OpenAI-compatible facade: a translation beside `/v1`, with the same keys, limits, money and tasks. */
export function facadeRoutes(deps: AnswerDeps): readonly Route[] {
  const key = { access: 'key', scopes: ['generate'] } as const;
  return [
    { ...key, method: 'post', path: GENERATIONS_PATH, body: 'json', handle: generateImages(deps) },
    { ...key, method: 'get', path: `${FACADE_PATH}/models`, handle: listFacadeModels(deps) },
    { ...key, method: 'get', path: `${FACADE_PATH}/models/:id`, handle: getFacadeModel(deps) },
  ];
}
