import type { Handler, KeyCall } from '../http/framework/call.js';
import { type AnswerDeps, answerImages } from './answers/answer-images.js';
import { readImageFields } from './request/read-image-fields.js';

/** Path of the route. */
export const GENERATIONS_PATH = '/openai/v1/images/generations';

/** `POST /openai/v1/images/generations`: draws images and answers with them. */
export function generateImages(deps: AnswerDeps): Handler<KeyCall> {
  return async (call) =>
    answerImages(deps, call, {
      path: GENERATIONS_PATH,
      fields: readImageFields(call.body),
      imageUrls: [],
      inputs: [],
      eventType: 'image_generation.completed',
    });
}
