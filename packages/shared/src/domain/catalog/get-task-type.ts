import type { GenerateRequest, TaskType } from '../contract/index.js';

/** Says which type of task a request is: the presence of `image_urls` selects editing. */
export function getTaskType(request: Pick<GenerateRequest, 'image_urls'>): TaskType {
  return request.image_urls ? 'image_edit' : 'image_generate';
}
