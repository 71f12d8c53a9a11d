import type { Resolution } from '../contract/index.js';
import { NO_CAPABILITIES } from './capabilities.js';
import { bearer, isObject, readNames, type UpstreamDescription } from './protocol.js';

/** Returns the models that the first page lists; none where there are more pages. */
function listModels(body: unknown): readonly string[] {
  const output = isObject(body) ? body.output : undefined;
  const names = readNames(output, 'models', 'model');
  return isObject(output) && Number(output.total) > names.length ? [] : names;
}

/** The first models draw one size. */
const FIRST_MODELS = /^qwen-image(-plus|-max)?(-\d{4}-\d{2}-\d{2})?$/;

/** Returns true for the first models of DashScope, which have sizes of their own. */
export const isFirstQwen = (model: string): boolean => FIRST_MODELS.test(model);

/** Lists the resolutions of a model: at most 2048 by 2048 pixels. */
const listResolutions = (model: string): readonly Resolution[] =>
  isFirstQwen(model) ? ['1k'] : ['1k', '2k'];

/** DashScope, the API of Alibaba Cloud Model Studio: Qwen-Image and Wan. */
export const dashscope = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '/api/v1',
  // Results lie in buckets of several regions.
  resultHosts: ['*.aliyuncs.com'],
  authorize: bearer,
  // Some models refuse more than one; those that take six say so in their route.
  maxImagesPerCall: 1,
  checkPath: '/models?page_no=1&page_size=100',
  listModels,
  listResolutions,
  keysAt: 'https://modelstudio.console.alibabacloud.com',
  // alibabacloud.com/help/en/model-studio/qwen-image-api (2026); images are PNG.
  accepts: () => ({ ...NO_CAPABILITIES, seed: 2_147_483_647, negativePrompt: true }),
  sends: () => ['seed', 'negative_prompt'],
  switchesRewriting: true,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
