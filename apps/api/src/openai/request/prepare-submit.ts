import { replayGeneration } from '@image-gateway/shared/billing';
import { type GenerateRequest, LIMITS, METADATA_LIMITS } from '@image-gateway/shared/contract';
import type { RequestFingerprint } from '@image-gateway/shared/task';
import { findUrlFault } from '@image-gateway/shared/validation';
import { checkMask } from '../../file/uploads/check-mask.js';
import { invalidField } from '../../file/uploads/field-error.js';
import { findImageSize, type SizeDeps } from '../../file/uploads/find-image-size.js';
import { type GivenImages, type StoreInputsDeps, submitWithInputs } from '../../file/uploads/store-inputs.js';
import type { KeyCall } from '../../http/framework/call.js';
import { requireModel } from '../../http/keys/key-rights.js';
import { readIdempotencyKey } from '../../http/read-idempotency-key.js';
import type { GenerateDeps } from '../../task/generate-handler.js';
import type { AnswerOrder } from '../answers/claim-answer.js';
import { planImages } from './plan-images.js';
import { type ImageFields, joinMetadata } from './read-image-fields.js';

/** Dependencies of submitting. */
export type SubmitDeps = Pick<GenerateDeps, 'accept' | 'offers' | 'hint' | 'onAccepted' | 'findTask'> &
  StoreInputsDeps &
  SizeDeps & {
    /** Returns true for a URL that may be called when a task has ended. */
    readonly isAllowedWebhookUrl: (url: string) => boolean;
  };

/** Request that is to be submitted. */
export interface SubmitOrder extends GivenImages {
  readonly fields: ImageFields;
  readonly fingerprint: RequestFingerprint;
}

/** Validated request. */
export type PreparedSubmit = Pick<AnswerOrder, 'submit' | 'idempotencyKey'>;

/**
 * Validates a request by the catalog and the rights of the key. A key of an earlier task is answered before these are judged. Throws
 * AppError.
 */
export async function prepareSubmit(
  deps: SubmitDeps,
  call: KeyCall,
  { fields, images, mask, fingerprint }: SubmitOrder,
): Promise<PreparedSubmit> {
  const idempotencyKey = readIdempotencyKey(call.header('idempotency-key'));
  const keyed = idempotencyKey === undefined ? {} : { idempotencyKey, fingerprint };
  const caller = { ...call.caller, requestId: call.id, traceparent: call.traceparent, ...keyed };
  const offer = await deps.offers.load();
  try {
    const [first] = images;
    const firstSize =
      first && (mask || (fields.size ?? fields.aspect_ratio) === undefined)
        ? await findImageSize(deps, call.caller.accountId, first)
        : null;
    const request = planImages(offer, fields, {
      imageUrls: images.map(({ entry }) => entry),
      firstSize,
      ...(mask && { mask: mask.entry }),
    });
    requireModel(call.caller, request.model);
    checkWebhook(deps, fields);
    checkUser(call.caller, fields);
    if (mask) {
      await checkMask(mask, firstSize);
    }
    const given = [...images, ...(mask ? [mask] : [])];
    const submit: PreparedSubmit['submit'] = async (waiting) => {
      const accepted = await submitWithInputs(deps, { ...caller, request, waiting }, given);
      const { task, replayed, openCount = 1 } = accepted;
      if (!replayed) {
        deps.hint(task.id, call.id, openCount);
        deps.onAccepted(task.model);
      }
      return accepted;
    };
    return { submit, ...keyed };
  } catch (refusal) {
    const earlier =
      idempotencyKey === undefined
        ? null
        : await replayGeneration(deps.accept, { ...caller, request: NO_REQUEST });
    const found = earlier && (await deps.findTask(earlier.task.id, call.caller.accountId));
    if (!found) {
      throw refusal;
    }
    const { model, type } = found;
    const accepted = { task: { ...earlier.task, model, type }, replayed: true };
    return { submit: () => Promise.resolve(accepted), ...keyed };
  }
}

/** Throws FieldError for a `user` that is too long to be a value of a key with a cap for each. */
function checkUser({ capPerKey }: KeyCall['caller'], fields: ImageFields): void {
  const { user, safety_identifier: identifier } = fields;
  const field = user === undefined ? 'safety_identifier' : 'user';
  const given = user ?? identifier;
  if (capPerKey === 'user' && given !== undefined && joinMetadata(fields)?.user === undefined) {
    throw invalidField(
      field,
      `${field} must have at most ${METADATA_LIMITS.valueCharacters} characters, and no NUL: this key has a daily cap for each of ` +
        `its values (cap_day_per). It has ${[...given].length}.`,
    );
  }
}

/** Throws FieldError for a `webhook_url` that may not be called. */
function checkWebhook(
  { isAllowedWebhookUrl }: SubmitDeps,
  { webhook_url: url }: Pick<ImageFields, 'webhook_url'>,
): void {
  const bounds = { max: LIMITS.webhookUrlCharacters, isAllowed: isAllowedWebhookUrl };
  const fault = url === undefined ? null : findUrlFault(url, bounds);
  if (fault !== null) {
    throw invalidField('webhook_url', `webhook_url ${fault}.`);
  }
}

/** Stands for a request that the catalog refuses; its fingerprint comes from the fields as they were given. */
const NO_REQUEST: GenerateRequest = {
  model: '',
  prompt: '',
  aspect_ratio: '16:9',
  num_outputs: 1,
  resolution: '1k',
};
