import { HTTP_STATUS_BY_CODE, KEY_SCOPES } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { type ApiRoute, defineApiRoute } from '../http/define-route.js';
import type { KeyCall, Reply } from '../http/framework/call.js';
import { getErrorHeaders } from '../http/framework/error-handler.js';
import type { ServeMessage, ServeMessageDeps } from './serve-message.js';

/** Path of the MCP server. */
export const MCP_PATH = '/mcp';

/** Largest message. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Code of JSON-RPC for a request that is none. */
const INVALID_REQUEST = -32_600;
/** First of the codes that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000;

/** Dependencies of the routes. */
export interface McpDeps extends ServeMessageDeps {
  /** CORS_ORIGINS. */
  readonly origins: readonly string[];
}

/**
 * The MCP server: streamable HTTP without sessions, with the keys, scopes, limits and money of `/v1`. Its library is loaded
 * with the first message.
 */
export function mcpRoutes(deps: McpDeps): readonly ApiRoute[] {
  let loading: Promise<ServeMessage> | undefined;
  const load = async (): Promise<ServeMessage> => {
    const { createMessageServer } = await import('./serve-message.js');
    return createMessageServer(deps);
  };
  const key = { door: 'mcp', path: MCP_PATH, access: 'key', roles: KEY_SCOPES } as const;
  const handle = async (call: KeyCall): Promise<Reply> => {
    checkOrigin(call, deps.origins);
    const message = await call.readJson({ maxBytes: MAX_BODY_BYTES, isKnown: true });
    if (Array.isArray(message)) {
      // The limits of a key count requests, and each of them is one call.
      throw new AppError('BAD_REQUEST', {
        publicMessage: 'Send one JSON-RPC message a request; lists of messages are not taken.',
      });
    }
    let closed: AbortSignal | undefined;
    // Several steps of a tool hold the request open; its connection ends once.
    const holdOpen = (): AbortSignal => (closed ??= call.holdOpen());
    loading ??= load();
    const serve = await loading;
    return serve({ ...call, holdOpen }, message);
  };
  return [
    defineApiRoute({ ...key, method: 'post', run: handle }),
    defineApiRoute({ ...key, method: 'delete', run: refuseMethod }),
    defineApiRoute({ door: 'mcp', path: MCP_PATH, access: 'open', method: 'get', run: refuseMethod }),
  ];
}

/** Creates the response of an error, as JSON-RPC knows it. */
export function createMcpErrorReply(error: AppError): Reply {
  const { code, publicMessage, details } = error;
  return {
    status: HTTP_STATUS_BY_CODE[code],
    headers: getErrorHeaders(error),
    json: createError(code === 'BAD_REQUEST' ? INVALID_REQUEST : SERVER_ERROR, publicMessage, {
      code,
      ...(details && { details }),
    }),
  };
}

/** There are no sessions, so there is nothing to listen to and nothing to end. */
function refuseMethod(): Reply {
  return {
    status: 405,
    headers: { Allow: 'POST', 'Cache-Control': 'no-store' },
    json: createError(SERVER_ERROR, 'Send messages with POST.', {}),
  };
}

function createError(code: number, message: string, data: object) {
  return { jsonrpc: '2.0', id: null, error: { code, message, data } };
}

/** Throws AppError `FORBIDDEN` for a request of a web page whose origin CORS_ORIGINS does not list. */
function checkOrigin({ header }: KeyCall, origins: readonly string[]): void {
  const isAllowed = header('origin').every((origin) => origins.includes('*') || origins.includes(origin));
  if (!isAllowed) {
    throw new AppError('FORBIDDEN', { publicMessage: 'Pages of this origin may not use the gateway.' });
  }
}
