import { ownAccount } from '@image-gateway/shared/account/schema';
import { publicModel } from '@image-gateway/shared/catalog/schema';
import { TASK_STATUSES } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { type PublicFile, publicFile } from '@image-gateway/shared/file/schema';
import { choice, describe, type JsonSchema, list, nothing, object, text } from '@image-gateway/shared/schema';
import { type PublicTask, quoteView } from '@image-gateway/shared/task/schema';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Route } from '../http/framework/call.js';
import { listSchemas } from '../http/openapi/list-schemas.js';
import { type GenerateDeps, generate } from '../task/generate-handler.js';
import { type ConfirmArguments, confirmPrice, UnconfirmedPriceError } from './confirm-price.js';
import { createOperation, readData, type ToolCall } from './operation.js';
import { createTaskView, type ShowTaskDeps, showObject, WAIT_SECONDS } from './show-task.js';

/** Arguments of a tool, as a client sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Tool that language models may call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Other names that it takes for its arguments. */
  readonly aliases?: readonly string[];
  /** Schema of its arguments, made from the fields of `POST /v1/generate`. */
  readonly describeInput: (fields: Fields) => JsonSchema;
  readonly output: JsonSchema;
  /** Runs it. Rejects with AppError. */
  readonly run: (call: ToolCall, given: Arguments) => Promise<CallToolResult>;
}

/** Fields of `POST /v1/generate` with their schemas. */
export type Fields = Readonly<Record<string, JsonSchema>>;

/** Dependencies of the tools. */
export interface ToolDeps extends GenerateDeps, ShowTaskDeps {
  /** The routes of `/v1`. */
  readonly routes: readonly Route[];
  /** MCP_CONFIRM_ABOVE in micro-dollars. */
  readonly confirmAboveMicros: bigint;
}

/** Results show the id of a task as `id`. */
const TASK_ID_ALIASES = ['id'];

const taskArguments = object({ task_id: text({ description: 'Id of a task, `gen_…`.' }) }).json;
const namedSchemas = listSchemas();

/** Puts the schemas that a schema of the OpenAPI document names in their places. */
function inline(schema: JsonSchema): JsonSchema {
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(replace);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const { $ref } = value as { readonly $ref?: unknown };
    return typeof $ref === 'string'
      ? replace(namedSchemas[$ref.slice($ref.lastIndexOf('/') + 1)])
      : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one)]));
  };
  return replace(schema) as JsonSchema;
}

/** Fields of a task in any status. */
const taskFields: Fields = Object.assign(
  {},
  ...['TaskPending', 'TaskCompleted', 'TaskFailed'].map(
    (name) => inline(namedSchemas[name] ?? {}).properties,
  ),
) as Fields;

/** Result of a tool that shows a task, or a quote while its price is not confirmed. */
const taskOutput: JsonSchema = {
  type: 'object',
  required: ['status'],
  properties: {
    ...taskFields,
    status: {
      type: 'string',
      enum: [...TASK_STATUSES, 'confirmation_required'],
      description: '`confirmation_required`: nothing was bought; `quote` has the price.',
    },
    quote: inline(quoteView.json),
    ignored: describe(list(text()), 'Arguments that had no effect.').json,
    next: text({ description: 'How to go on.' }).json,
  },
};

const confirmation: Fields = {
  idempotency_key: text({
    description: 'Makes repeating a call safe for 24 hours: equal calls with the same key are one task.',
  }).json,
  confirm_above: text({
    description:
      'Dollars above which the price has to be confirmed, such as "0.05". It can only lower the limit of the gateway.',
  }).json,
  confirm_cost: text({
    description: 'The quoted price, such as "$0.1600", once the user has agreed to it.',
  }).json,
};

const LOOKS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const DRAWS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

const MONEY =
  `Costs money; a price above the limit is quoted first and needs confirm_cost. Waits up to ${WAIT_SECONDS} s; what takes longer ` +
  'goes on, and get_task fetches it.';

/** Creates the tools. Each does what a route of `/v1` does, with the same scopes, limits and money. */
export function createTools(deps: ToolDeps): readonly Tool[] {
  const { routes, offers, confirmAboveMicros } = deps;
  const showTask = createTaskView(deps);
  const quote = createOperation(routes, 'post /v1/quote');
  const getTask = createOperation(routes, 'get /v1/tasks/:id');
  const cancelTask = createOperation(routes, 'post /v1/tasks/:id/cancel');
  const listModels = createOperation(routes, 'get /v1/models');
  const getAccount = createOperation(routes, 'get /v1/account');
  const uploadFile = createOperation(routes, 'post /v1/files');

  /** Returns the body of `/v1` for arguments. */
  const toBody = async ({ model, ...rest }: Arguments): Promise<Arguments> => ({
    ...rest,
    model: model ?? (await offers.load()).defaultModel,
  });

  const draw = async (call: ToolCall, given: Arguments): Promise<CallToolResult> => {
    const { idempotency_key: key, confirm_above, confirm_cost, ...fields } = given;
    const confirmed: ConfirmArguments = { confirm_above, confirm_cost };
    const body = await toBody(fields);
    const getPrice = confirmPrice(deps.accept.getPrice, confirmed, confirmAboveMicros);
    const handle = generate({ ...deps, accept: { ...deps.accept, getPrice } }, { keepsShape: true });
    const submit = createOperation(routes, 'post /v1/generate', handle);
    const headers = { prefer: `wait=${WAIT_SECONDS}`, ...readKey(key) };
    try {
      return await showTask(call, readData<PublicTask>(await submit(call, { body, headers })));
    } catch (thrown) {
      if (!(thrown instanceof UnconfirmedPriceError)) {
        throw thrown;
      }
      const quoted = readData<{ readonly cost: string }>(await quote(call, { body }));
      return showObject({
        status: 'confirmation_required',
        quote: quoted,
        next:
          `Nothing was bought. Ask the user whether ${quoted.cost} is fine, then call again with the same arguments and ` +
          `confirm_cost "${quoted.cost}".`,
      });
    }
  };

  return [
    {
      name: 'list_models',
      title: 'List image models',
      description:
        'Lists the image models on offer with their prices, shapes and limits, and the one that is used unless another is named.',
      annotations: LOOKS,
      describeInput: () => nothing.json,
      output: inline(object({ default_model: text(), models: list(publicModel) }).json),
      run: async (call) => {
        const models = readData<readonly object[]>(await listModels(call));
        return showObject({ default_model: (await offers.load()).defaultModel, models });
      },
    },
    {
      name: 'quote',
      title: 'Quote a price',
      description:
        'Says what a generation or an edit would cost, and whether the balance reaches for it. Buys nothing.',
      annotations: LOOKS,
      describeInput: (fields) => describeFields(fields, ['prompt']),
      output: inline(quoteView.json),
      run: async (call, given) => showObject(readData(await quote(call, { body: await toBody(given) }))),
    },
    {
      name: 'generate_image',
      title: 'Generate images',
      description: `Draws images from a prompt. ${MONEY}`,
      annotations: DRAWS,
      describeInput: ({ image_urls: _inputs, ...fields }) =>
        describeFields({ ...fields, ...confirmation }, ['prompt']),
      output: taskOutput,
      run: async (call, given) => {
        if (given.image_urls !== undefined && given.image_urls !== null) {
          throw new AppError('VALIDATION_ERROR', {
            publicMessage: 'image_urls must be absent: edit_image edits images.',
          });
        }
        return draw(call, given);
      },
    },
    {
      name: 'edit_image',
      title: 'Edit images',
      description:
        'Changes images, or draws new ones from them, as the prompt says. Without aspect_ratio the result has the shape of the model ' +
        `that is nearest to the first image; one that is as near to two (a square to 16:9 and 9:16) gets the default. ${MONEY}`,
      annotations: DRAWS,
      describeInput: (fields) => describeFields({ ...fields, ...confirmation }, ['prompt', 'image_urls']),
      output: taskOutput,
      run: async (call, given) => {
        if (given.image_urls === undefined || given.image_urls === null) {
          throw new AppError('VALIDATION_ERROR', {
            publicMessage:
              'image_urls must be a list of the images to edit; generate_image draws without any.',
          });
        }
        return draw(call, given);
      },
    },
    {
      name: 'get_task',
      title: 'Get a task',
      description: `Gets a task with its images. Waits up to ${WAIT_SECONDS} s for the end of a pending one.`,
      annotations: LOOKS,
      aliases: TASK_ID_ALIASES,
      describeInput: () => taskArguments,
      output: taskOutput,
      run: async (call, given) => {
        const params = { id: readTaskId(given) };
        const query = { wait: String(WAIT_SECONDS) };
        return showTask(call, readData<PublicTask>(await getTask(call, { params, query })));
      },
    },
    {
      name: 'cancel_task',
      title: 'Cancel a task',
      description:
        'Cancels a pending task. Images that are already drawn, or being drawn, are delivered and charged; nothing else is.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      aliases: TASK_ID_ALIASES,
      describeInput: () => taskArguments,
      output: taskOutput,
      run: async (call, given) =>
        showObject(readData(await cancelTask(call, { params: { id: readTaskId(given) } }))),
    },
    {
      name: 'upload_image',
      title: 'Upload an image',
      description:
        'Keeps an image for a day, so that edit_image takes its id or url in image_urls. Images that have an http address need no upload.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      describeInput: () =>
        object({
          data: text({ description: 'The image in base64, up to about 1.5 MB of it decoded.' }),
          content_type: choice(['image/png', 'image/jpeg', 'image/webp']),
        }).json,
      output: inline(publicFile.json),
      run: async (call, { data, content_type: type }) => {
        const bytes = readBase64(data);
        if (typeof type !== 'string' || !type.startsWith('image/')) {
          throw new AppError('VALIDATION_ERROR', {
            publicMessage: 'content_type must be "image/png", "image/jpeg" or "image/webp".',
          });
        }
        const headers = { 'content-type': type, 'content-length': String(bytes.length) };
        return showObject(readData<PublicFile>(await uploadFile(call, { bytes, headers })));
      },
    },
    {
      name: 'get_account',
      title: 'Get the account',
      description: 'Gets the balance of the account, and the limits and spending caps of the key in use.',
      annotations: LOOKS,
      describeInput: () => nothing.json,
      output: inline(ownAccount.json),
      run: async (call) => showObject(readData(await getAccount(call))),
    },
  ];
}

/** Describes fields of a request, of which some are required. */
function describeFields(properties: Fields, required: readonly string[]): JsonSchema {
  return { type: 'object', required, properties };
}

/** Reads the id of a task. Throws AppError `VALIDATION_ERROR` where none is given: an agent would take its paid task for lost. */
function readTaskId({ task_id: taskId, id }: Arguments): string {
  const given = taskId ?? id;
  if (typeof given !== 'string' || given === '') {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'task_id is required: the id of a task, "gen_…".',
    });
  }
  return given;
}

function readKey(key: unknown): Readonly<Record<string, string>> {
  if (key === undefined || key === null) {
    return {};
  }
  if (typeof key !== 'string') {
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'idempotency_key must be text.' });
  }
  return { 'idempotency-key': key };
}

/** Reads base64. Throws AppError `VALIDATION_ERROR` for anything else. */
function readBase64(data: unknown): Buffer {
  const encoded = typeof data === 'string' ? data.replace(/\s+/g, '') : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'data must be an image in base64, without the beginning of a data URL.',
    });
  }
  return Buffer.from(encoded, 'base64');
}
