import type { UploadSlots } from '../file/uploads/create-upload-slots.js';
import { FieldError, invalidField } from '../file/uploads/field-error.js';
import type { EntryRules } from '../file/uploads/read-input-entry.js';
import type { FormValues } from '../file/uploads/receive-form.js';
import { MAX_JSON_BYTES, receiveJson } from '../file/uploads/receive-json.js';
import { openRequestSpool, type SpoolDeps } from '../file/uploads/spool-upload.js';
import type { GivenImages } from '../file/uploads/store-inputs.js';
import type { Handler, KeyCall, Reply } from '../http/framework/call.js';
import { requireModel } from '../http/keys/key-rights.js';
import { refuseWithoutMoney } from '../task/refuse-without-money.js';
import { type AnswerDeps, answerImages } from './answers/answer-images.js';
import { refuseUnmet } from './request/choose-size.js';
import { IMAGE_FIELD_NAMES } from './request/list-images.js';
import { resolveModel } from './request/plan-images.js';
import { type ImageFields, listIgnoredByAsync, readImageFields } from './request/read-image-fields.js';
import { readImages } from './request/read-images.js';
import { MAX_FORM_BYTES, receiveImageForm } from './request/receive-image-form.js';

/** Path of the route. */
export const GENERATIONS_PATH = '/openai/v1/images/generations';

/**
 * `POST /openai/v1/images/generations`: draws images and answers with them, with `/async` without waiting. Images in the body
 * make it an edit.
 */
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
    return answerImages(deps, call, { ...order, ...given, fields, ignored: listIgnoredByAsync(call.body) });
  };
}

/** Path of the route. */
export const EDITS_PATH = '/openai/v1/images/edits';

/** Returns the path of the same route for clients that do not wait. */
export function toAsyncPath(path: string): string {
  return `${path}/async`;
}

/** Dependencies of the handlers. */
export interface ImageDeps extends AnswerDeps, SpoolDeps, EntryRules {
  readonly uploadSlots: UploadSlots;
}

/** Request whose body has come. */
interface Received extends GivenImages {
  readonly fields: ImageFields;
  readonly ignored: readonly string[];
}

/** `POST /openai/v1/images/edits`: edits images that come in a form, or as URLs and data URLs in JSON; with `/async` without waiting. */
export function editImages(deps: ImageDeps, { isAsyncRoute = false } = {}): Handler<KeyCall> {
  return async (call) =>
    receiveAndAnswer(deps, call, (received, onClaimed) => {
      if (received.images.length === 0) {
        throw invalidField('image', 'image must hold at least one PNG, JPEG or WebP image.');
      }
      return answerImages(deps, call, {
        path: isAsyncRoute ? toAsyncPath(EDITS_PATH) : EDITS_PATH,
        isAsyncRoute,
        ...received,
        eventType: 'image_edit.completed',
        onClaimed,
      });
    });
}

/**
 * Receives a body that may hold images and answers it. Money, and fields in front of the images, are judged before these are received.
 * They wait on disk until the task has been submitted, so that a refused request stores nothing.
 */
export async function receiveAndAnswer(
  deps: ImageDeps,
  call: KeyCall,
  answer: (received: Received, onClaimed: () => Promise<void>) => Promise<Reply>,
): Promise<Reply> {
  const [type = ''] = call.header('content-type');
  const isForm = /^multipart\/form-data\s*;/i.test(type);
  if (!isForm && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new FieldError('BAD_REQUEST', {
      publicMessage: 'Send a form (Content-Type: multipart/form-data) or a JSON body (application/json).',
    });
  }
  const leave = deps.uploadSlots.enter(call.caller.accountId);
  call.holdOpen();
  let close = (): Promise<void> => Promise.resolve();
  let isLeft = false;
  const finish = async (): Promise<void> => {
    if (!isLeft) {
      isLeft = true;
      await close();
      leave();
    }
  };
  try {
    await refuseWithoutMoney(deps, call);
    const spool = await openRequestSpool(deps, call, isForm ? MAX_FORM_BYTES : MAX_JSON_BYTES);
    close = spool.close;
    if (isForm) {
      const { values, ...given } = await receiveImageForm(call, spool, (before, { field }) =>
        judgeFields(deps, call, { values: before, hasMask: field === 'mask' }),
      );
      const fields = readImageFields(values, { isForm: true });
      return await answer({ fields, ignored: listIgnoredByAsync(values), ...given }, finish);
    }
    const { body, uploads } = await receiveJson(call, IMAGE_FIELD_NAMES, () => Promise.resolve(spool));
    const fields = readImageFields(body);
    const ignored = listIgnoredByAsync(body);
    return await answer({ fields, ignored, ...readImages(body, deps, uploads) }, finish);
  } finally {
    await finish();
  }
}

/** Judges the fields of a form that came before a file. A key of an earlier task is answered whatever became of its model. */
async function judgeFields(
  deps: AnswerDeps,
  call: KeyCall,
  { values, hasMask }: { readonly values: FormValues; readonly hasMask: boolean },
): Promise<void> {
  const fields = readImageFields({ prompt: 'that is still to come', ...values }, { isForm: true });
  if (fields.model !== undefined && call.header('idempotency-key').length === 0) {
    const model = resolveModel(await deps.offers.load(), fields.model);
    requireModel(call.caller, model.id);
    refuseUnmet(model, { mask: hasMask || null });
  }
}
