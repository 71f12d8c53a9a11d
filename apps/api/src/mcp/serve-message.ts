import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { getVersion } from '@image-gateway/shared/config';
import { toAppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { JsonSchema } from '@image-gateway/shared/schema';
import {
  type CallToolResult,
  createMcpHandler,
  fromJsonSchema,
  type JsonSchemaType,
  type jsonSchemaValidator,
  McpServer,
} from '@modelcontextprotocol/server';
import type { Offer } from '../catalog/create-offers.js';
import type { KeyCall, Reply } from '../http/framework/call.js';
import { logError } from '../http/framework/error-handler.js';
import { toJsonSchema } from '../http/openapi/to-json-schema.js';
import type { ToolCall } from './operation.js';
import { showObject } from './show-task.js';
import { type Arguments, createTools, type Fields, type ToolDeps } from './tools.js';

/** Dependencies of the MCP server. */
export interface ServeMessageDeps extends ToolDeps {
  readonly logger: Logger;
}

/** Serves one message of the protocol, which arrived as the body of a request. */
export type ServeMessage = (call: KeyCall, message: unknown) => Promise<Reply>;

/** Proxies end connections without a byte; nginx does so after 60 s. */
const KEEP_ALIVE_MS = 10_000;

/** Headers of a request that the protocol knows. */
const REQUEST_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
/** Headers of a response that are passed on. */
const RESPONSE_HEADERS = ['content-type', 'cache-control', 'x-accel-buffering'];

const INSTRUCTIONS =
  'Draws and edits images for money. list_models has models, prices and shapes. A price above the limit is quoted first: ask ' +
  'the user, then call again with confirm_cost. ' +
  'What takes long comes as a pending task: call get_task until it has ended, and never submit it again. Result URLs can stand ' +
  'in image_urls of edit_image.';

type Register = (server: McpServer, call: ToolCall) => void;

/** Creates the MCP server. It keeps no session: each message gets a server of its own, which knows the caller. */
export function createMessageServer(deps: ServeMessageDeps): ServeMessage {
  const { offers, logger } = deps;
  const tools = createTools(deps);
  let known: { readonly offer: Offer; readonly register: Register } | null = null;

  const describeTools = (offer: Offer): Register => {
    const fields = describeFields(offer);
    const described = tools.map(({ name, run, aliases = [], describeInput, output, ...config }) => {
      const input = describeInput(fields);
      return {
        name,
        known: [...Object.keys((input.properties ?? {}) as Fields), ...aliases],
        run,
        config: {
          ...config,
          inputSchema: fromJsonSchema(input as JsonSchemaType, TAKES_EVERYTHING),
          outputSchema: fromJsonSchema(output as JsonSchemaType, TAKES_EVERYTHING),
        },
      };
    });
    return (server, call) => {
      for (const { name, known: names, run, config } of described) {
        server.registerTool(name, config, async (received) => {
          const given = received as Arguments;
          const result = await run(call, given).catch((thrown: unknown) => showError(thrown, call, logger));
          return showIgnored(result, findUnknown(given, names));
        });
      }
    };
  };
  const load = async (): Promise<Register> => {
    const offer = await offers.describe();
    if (known?.offer !== offer) {
      known = { offer, register: describeTools(offer) };
    }
    return known.register;
  };

  return async (call, message) => {
    const register = await load();
    const ends: ((isDelivered: boolean) => void)[] = [];
    const toolCall: ToolCall = { ...call, afterEnd: (onEnd) => void ends.push(onEnd) };
    const handler = createMcpHandler(
      () => {
        const server = new McpServer(
          { name: 'image-gateway', title: 'Image Generation Gateway', version: getVersion() },
          { instructions: INSTRUCTIONS },
        );
        register(server, toolCall);
        return server;
      },
      {
        keepAliveMs: KEEP_ALIVE_MS,
        // Nothing that a client could listen for ever changes.
        maxSubscriptions: 0,
        onerror: (error) =>
          logger.debug('message of MCP refused', { requestId: call.id, error: error.message }),
      },
    );
    // The address is needed and means nothing.
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: copyHeaders(call) });
    const reply = await toReply(await handler.fetch(request, { parsedBody: message }));
    const onEnd = (isDelivered: boolean): void => {
      for (const end of ends) {
        end(isDelivered);
      }
    };
    return { ...reply, onEnd };
  };
}

/** Validator that takes everything: operations check their input themselves, with the words of `/v1`. */
const TAKES_EVERYTHING: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Keywords of JSON Schema that every vendor of models takes. Some refuse the whole request of an agent for one that they do not know. */
const PLAIN_KEYWORDS = new Set([
  'type',
  'description',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
]);

/** Describes the fields of `POST /v1/generate` by the models on offer. Fields that are not required may be null; that is not described. */
function describeFields({ parser }: Offer): Fields {
  const { properties } = toJsonSchema(parser.schema);
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toPlain(field)]));
}

function toPlain(schema: JsonSchema): JsonSchema {
  const known = Object.entries(schema).filter(([keyword]) => PLAIN_KEYWORDS.has(keyword));
  return Object.fromEntries(
    known.map(([keyword, value]) => [keyword, keyword === 'items' ? toPlain(value as JsonSchema) : value]),
  );
}

/** Names that a result says were ignored; what else was given stays unnamed. */
const MAX_IGNORED = 20;
const MAX_NAME_LENGTH = 64;

/** Returns the names of arguments that a tool does not have. */
function findUnknown(given: Arguments, known: readonly string[]): readonly string[] {
  return Object.entries(given)
    .filter(([name, value]) => value !== null && !known.includes(name) && name.length <= MAX_NAME_LENGTH)
    .map(([name]) => name)
    .slice(0, MAX_IGNORED);
}

/** Names ignored arguments in a result: an agent would take `n: 4` for understood. */
function showIgnored(result: CallToolResult, ignored: readonly string[]): CallToolResult {
  if (ignored.length === 0 || result.structuredContent === undefined) {
    return result;
  }
  const shown = showObject({ ...result.structuredContent, ignored });
  return { ...result, ...shown, content: [...shown.content, ...result.content.slice(1)] };
}

function showError(thrown: unknown, call: KeyCall, logger: Logger): CallToolResult {
  const error = toAppError(thrown);
  logError(() => logger.child({ requestId: call.id }), error);
  const { code, publicMessage: message, retryAfterSeconds: seconds, details } = error;
  const advice = seconds === undefined ? '' : ` Try again in ${Math.max(1, Math.ceil(seconds))} s.`;
  const page = details?.top_up_url === undefined ? '' : ` Top up at ${details.top_up_url}`;
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}${advice}${page}` }],
    ...(details && { structuredContent: { error: { code, message, details } } }),
  };
}

function copyHeaders(call: KeyCall): [string, string][] {
  return REQUEST_HEADERS.flatMap((name) => call.header(name).map((value): [string, string] => [name, value]));
}

async function toReply({ status, headers: given, body }: Response): Promise<Reply> {
  const headers = Object.fromEntries(
    RESPONSE_HEADERS.flatMap((name) => {
      const value = given.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  if (body === null) {
    return { status, headers };
  }
  return { status, headers, stream: Readable.fromWeb(body as ReadableStream) };
}
