import { LIMITS } from '@image-gateway/shared/contract';
import { linkTaskInputs } from '@image-gateway/shared/db';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { type AnswerDeps, answerImages } from './answers/answer-images.js';
import { FacadeError, invalidField } from './errors/facade-error.js';
import { type ImageFields, readImageFields } from './request/read-image-fields.js';
import type { UploadSlots } from './uploads/create-upload-slots.js';
import { type FormDeps, receiveForm } from './uploads/receive-form.js';
import { type JsonDeps, receiveJson } from './uploads/receive-json.js';
import type { StoredInput } from './uploads/store-input.js';

/** Path of the route. */
export const EDITS_PATH = '/openai/v1/images/edits';

/** Dependencies of the handler. */
export interface EditDeps extends AnswerDeps, FormDeps, JsonDeps {
  readonly uploadSlots: UploadSlots;
}

/** Request for an edit. */
interface Edit {
  readonly fields: ImageFields;
  readonly images: readonly StoredInput[];
}

/** `POST /openai/v1/images/edits`: edits images that come in a form, or as URLs and data URLs in JSON. */
export function editImages(deps: EditDeps): Handler<KeyCall> {
  return async (call) => {
    const { fields, images } = await receiveEdit(deps, call);
    if (images.length === 0) {
      throw invalidField('image', 'image must hold at least one PNG, JPEG or WebP image.');
    }
    if (images.length > LIMITS.inputImages) {
      throw invalidField('image', `image must hold at most ${LIMITS.inputImages} images.`);
    }
    const ids = images.flatMap(({ id }) => (id === null ? [] : [id]));
    return answerImages(deps, call, {
      path: EDITS_PATH,
      fields,
      eventType: 'image_edit.completed',
      imageUrls: images.map(({ entry }) => entry),
      inputs: images.map(({ digest }) => digest),
      ...(ids.length > 0 && { onSubmitted: (taskId) => linkTaskInputs(deps.db, { taskId, ids }) }),
    });
  };
}

async function receiveEdit(deps: EditDeps, call: KeyCall): Promise<Edit> {
  const [type = ''] = call.header('content-type');
  const leave = deps.uploadSlots.enter(call.caller.accountId);
  call.holdOpen();
  try {
    if (/^multipart\/form-data\s*;/i.test(type)) {
      const { values, images } = await receiveForm(deps, call);
      return { fields: readImageFields(values, { isForm: true }), images };
    }
    if (/^application\/json\s*(;|$)/i.test(type)) {
      const { body, images } = await receiveJson(deps, call);
      return { fields: readImageFields(body), images };
    }
  } finally {
    leave();
  }
  throw new FacadeError('BAD_REQUEST', {
    publicMessage: 'Send a form (Content-Type: multipart/form-data) or a JSON body (application/json).',
  });
}
