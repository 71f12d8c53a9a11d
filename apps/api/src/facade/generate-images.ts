import type { Handler, KeyCall } from '../http/framework/call.js';
import { answerImages } from './answers/answer-images.js';
import { type ImageDeps, receiveAndAnswer, toAsyncPath } from './edit-images.js';
import { readImageFields } from './request/read-image-fields.js';
import { readImages } from './request/read-images.js';

/** Path of the route. */
export const GENERATIONS_PATH = '/openai/v1/images/generations';

/** `POST /openai/v1/images/generations`: draws images and answers with them, with `/async` without waiting. Images in the body make it an edit. */
export function generateImages(deps: ImageDeps, { isAsyncRoute = false } = {}): Handler<KeyCall> {
  const path = isAsyncRoute ? toAsyncPath(GENERATIONS_PATH) : GENERATIONS_PATH;
  const order = { path, isAsyncRoute, eventType: 'image_generation.completed' };
  return async (call) => {
    if (call.body === undefined) {
      return receiveAndAnswer(deps, call, (received, onClaimed) =>
        answerImages(deps, call, { ...order, ...received, onClaimed }),
      );
    }
    const fields = readImageFields(call.body);
    const given = readImages(call.body, deps);
    return answerImages(deps, call, { ...order, ...given, fields });
  };
}
