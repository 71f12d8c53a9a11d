import { type AcceptDeps, type Accepted, replayGeneration } from '@image-gateway/shared/billing';
import { findNearestRatio } from '@image-gateway/shared/catalog/document';
import { type Envelope, ok } from '@image-gateway/shared/contract';
import type { FindShownTask } from '@image-gateway/shared/db';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import { presentTask, type TaskView } from '@image-gateway/shared/presenters';
import { findIgnored, type ParsedRequest } from '@image-gateway/shared/task';
import type { PublicTask } from '@image-gateway/shared/task/schema';
import type { Offers } from '../catalog/create-offers.js';
import { checkMask } from '../file/uploads/check-mask.js';
import { invalidField } from '../file/uploads/field-error.js';
import { findImageSize, readShape } from '../file/uploads/find-image-size.js';
import { readUpload } from '../file/uploads/receive-json.js';
import {
  checkInputs,
  nameInputs,
  type ReceiveDeps,
  type ReceivedRequest,
  receiveRequest,
} from '../file/uploads/receive-request.js';
import { type InputImage, submitWithInputs } from '../file/uploads/store-inputs.js';
import type { Handler, KeyCall, Reply } from '../http/framework/call.js';
import { mayUseModel, requireModel } from '../http/keys/key-rights.js';
import { readIdempotencyKey } from '../http/read-idempotency-key.js';
import { refuseWithoutMoney } from './refuse-without-money.js';
import type { TaskWaits } from './waiting/create-task-waits.js';
import { parsePreferredWait } from './waiting/parse-preferred-wait.js';

/** Dependencies of submitting. */
export interface GenerateDeps extends ReceiveDeps {
  readonly accept: AcceptDeps;
  readonly offers: Offers;
  /** Parses a body whose model may no longer be offered. */
  readonly parseReplay: (body: unknown) => ParsedRequest;
  readonly fileUrl: string;
  /** Sends a hint about the task to the workers; neither delays nor fails the response. */
  readonly hint: (taskId: string, traceId: string, openCount: number) => void;
  readonly onAccepted: (model: string) => void;
  readonly waits: TaskWaits;
  readonly findTask: FindShownTask;
}

const MASK = { field: 'mask', place: 'mask' } as const;

/** Input of a route beside the fields of `POST /v1/generate`. */
interface GenerateOptions {
  /** A `mask` of the first image as a data URL, as the playground sends it. */
  readonly takesMask?: boolean;
  /** An edit without `aspect_ratio` gets the ratio of the model that is nearest to its first image; a square may get the default one. */
  readonly keepsShape?: boolean;
}

/** `POST /v1/generate`: validates, holds the price, inserts the task, responds 202; with `Prefer: wait` at its end. */
export function generate(
  deps: GenerateDeps,
  { takesMask = false, keepsShape = false }: GenerateOptions = {},
): Handler<KeyCall, Envelope<PublicTask>> {
  return async (call) => {
    const key = readIdempotencyKey(call.header('idempotency-key'));
    const received = await receiveRequest(deps, call, () => refuseWithoutMoney(deps, call));
    const mask = takesMask ? readMask(received) : null;
    const body = keepsShape ? await addShape(deps, call, received) : received.body;
    const {
      task,
      replayed,
      openCount = 1,
    } = await accept(deps, call, { ...received, body, mask }, key).finally(received.close);
    if (!replayed) {
      deps.hint(task.id, call.id, openCount);
      deps.onAccepted(task.model);
    }
    const seconds = parsePreferredWait(call.header('prefer'));
    const shown = seconds === null ? task : await waitForEnd(deps, call, task, seconds);
    const reply = replyAccepted(shown, { replayed, fileUrl: deps.fileUrl });
    const ignored = findIgnored(received.body);
    return {
      ...reply,
      headers: {
        ...reply.headers,
        ...(seconds !== null && { 'Preference-Applied': `wait=${seconds}` }),
        ...(ignored.length > 0 && { 'x-gateway-ignored': ignored.join(', ') }),
      },
    };
  };
}

/** Creates the `202` of an accepted task. */
export function replyAccepted(
  task: TaskView,
  { replayed, fileUrl }: { readonly replayed: boolean; readonly fileUrl: string },
): Reply<Envelope<PublicTask>> {
  return {
    status: 202,
    headers: {
      Location: `/v1/tasks/${task.id}`,
      'Retry-After': '2',
      'Cache-Control': 'no-store',
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
    json: ok(presentTask(task, fileUrl)),
  };
}

/** Returns the task as it is at its end, or after the time that the client prefers to wait. An accepted task is a `202` in any case. */
async function waitForEnd(
  deps: GenerateDeps,
  call: KeyCall,
  task: TaskView,
  seconds: number,
): Promise<TaskView> {
  const { accountId } = call.caller;
  if (task.status === 'pending') {
    const wait = deps.waits.enter(accountId, call.holdOpen())?.(task);
    await wait?.(seconds * 1_000);
  }
  return (await deps.findTask(task.id, accountId).catch(() => null)) ?? task;
}

/** Accepts a valid request. A refused one may repeat a task that was accepted while the catalog still offered it. */
async function accept(
  deps: GenerateDeps,
  call: KeyCall,
  { body, uploads, mask }: ReceivedRequest & { readonly mask: InputImage | null },
  idempotencyKey: string | undefined,
): Promise<Accepted> {
  const { parser } = await deps.offers.load();
  const parsed = parser.parse(body, call.caller.models, mask ? { mask: mask.entry } : {});
  const caller = {
    ...call.caller,
    requestId: call.id,
    traceparent: call.traceparent,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  const replay = async (earlier: ParsedRequest): Promise<Accepted | null> => {
    if (idempotencyKey === undefined || 'fault' in earlier) {
      return null;
    }
    const { images: _images, ...named } = nameInputs(deps, earlier, uploads);
    return replayGeneration(deps.accept, { ...caller, ...named });
  };
  if ('fault' in parsed) {
    const earlier = idempotencyKey === undefined ? null : await replay(deps.parseReplay(body));
    if (earlier) {
      return earlier;
    }
    throw new AppError('VALIDATION_ERROR', { publicMessage: parsed.fault });
  }
  const { images, ...named } = nameInputs(deps, parsed, uploads);
  const { model } = named.request;
  const hasInputs = images.some(({ upload, file }) => upload !== undefined || file !== undefined);
  if (hasInputs || !mayUseModel(call.caller, model)) {
    const earlier = await replay(parsed);
    if (earlier) {
      return earlier;
    }
    requireModel(call.caller, model);
    await checkInputs(deps, call, images);
  }
  if (!mask) {
    return submitWithInputs(deps, { ...caller, ...named }, images).catch(adviseKey);
  }
  const [first] = images;
  if (!first) {
    throw invalidField('mask', 'mask needs the image that it is for.');
  }
  await checkMask(mask, await findImageSize(deps, call.caller.accountId, first));
  const request = { ...named.request, mask: mask.entry };
  return submitWithInputs(deps, { ...caller, ...named, request }, [...images, mask]).catch(adviseKey);
}

/** Returns the body with the ratio that is nearest to its first image, where it has none and the gateway has the image. */
async function addShape(
  deps: GenerateDeps,
  call: KeyCall,
  { body, uploads }: ReceivedRequest,
): Promise<unknown> {
  const { models, parser } = await deps.offers.load();
  const parsed = parser.parse(body, call.caller.models);
  if ('fault' in parsed || parsed.given.aspect_ratio !== undefined) {
    return body;
  }
  const [first] = nameInputs(deps, parsed, uploads).images;
  // The submit says what is wrong with the image.
  const shape = first && readShape(await findImageSize(deps, call.caller.accountId, first).catch(() => null));
  const model = models.find(({ id }) => id === parsed.request.model);
  return model && shape
    ? {
        ...(body as object),
        aspect_ratio: findNearestRatio([model.defaultAspectRatio, ...model.aspectRatios], shape),
      }
    : body;
}

/** Reads the mask of a body; null without one. Throws FieldError. */
function readMask({ body, uploads }: ReceivedRequest): InputImage | null {
  const { mask: url } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly mask?: unknown;
  };
  if (url === undefined || url === null) {
    return null;
  }
  const mask = typeof url === 'string' ? readUpload({ ...MASK, url }, uploads) : null;
  if (!mask) {
    throw invalidField('mask', 'mask must be a data URL in base64.');
  }
  return mask;
}

/** Adds advice about the Idempotency-Key: a submission that failed may have been accepted, and only a key makes a retry safe. */
function adviseKey(thrown: unknown): never {
  const error = toAppError(thrown);
  if (error.code !== 'INTERNAL_ERROR') {
    throw error;
  }
  throw new AppError('INTERNAL_ERROR', {
    message: error.message,
    publicMessage: 'Something went wrong on our side. Try again; use an Idempotency-Key to do so safely.',
    cause: error,
  });
}
