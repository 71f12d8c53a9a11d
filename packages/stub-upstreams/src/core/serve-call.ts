import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFUSALS, type Refusal, STUB_PROVIDERS, type StubProvider } from './behaviour.js';
import type { StubCall, StubRequest, StubResponse } from './call.js';
import type { Behaviours } from './create-behaviours.js';
import type { CallLog } from './create-call-log.js';
import { createContext, NOTHING, type StubContext, type StubState } from './create-context.js';
import { findRoute, type Route, type StubProtocol } from './protocol.js';
import { sendResponse } from './send-response.js';

/** Dependencies for serving calls. */
export interface CallServer extends StubState {
  readonly protocols: readonly StubProtocol[];
  readonly keys: Readonly<Record<StubProvider, readonly string[]>>;
  readonly log: CallLog;
  readonly behaviours: Behaviours;
}

const SLOW_MS = 2_000;
const WITHOUT_WORK: readonly string[] = ['down', 'html', 'empty', 'redirect'];
const UNANSWERED: readonly string[] = ['hang', 'down', 'lost-answer'];

/** Answers one call in the words of the provider that it is for, as that provider is to behave, and writes it down. */
export async function serveCall(
  server: CallServer,
  request: StubRequest,
  response: ServerResponse,
): Promise<void> {
  const found = findDownload(request) ?? (await findCall(server.protocols, request));
  if (found === null) {
    return sendResponse(response, NOTHING, 'ok');
  }
  const behaviour = server.behaviours.choose(found.provider, found.call);
  const { mode, latencyMs = mode === 'slow' ? SLOW_MS : 0 } = behaviour;
  const { method, path } = request;
  const record = server.log.open({ ...found.call, provider: found.provider, method, path, mode });
  if (latencyMs > 0) {
    await sleep(latencyMs, undefined, { ref: false });
  }
  const replies = found.handler?.protocol.replies ?? null;
  const isLost = WITHOUT_WORK.includes(mode);
  const answer = isLost
    ? NOTHING
    : await buildResponse(
        server,
        found,
        createContext(server, { ...found, replies, request, behaviour, record }),
      );
  if (!UNANSWERED.includes(mode)) {
    record.status = answer.status;
  }
  sendResponse(response, answer, mode);
}

interface Found {
  readonly provider: StubProvider;
  readonly call: StubCall;
  /** Null for a file. */
  readonly handler: { readonly protocol: StubProtocol; readonly route: Route } | null;
}

async function buildResponse(
  { keys }: CallServer,
  { provider, call, handler }: Found,
  context: StubContext,
): Promise<StubResponse> {
  if (handler === null) {
    return context.download(context.request.path);
  }
  const { route } = handler;
  if (!keys[provider].includes(call.key ?? '')) {
    return route.wrongKey ?? context.reply(call.key === null ? 'no-key' : 'auth');
  }
  const { mode } = context;
  return REFUSALS.includes(mode as Refusal) ? context.reply(mode) : route.answer(context);
}

async function findCall(protocols: readonly StubProtocol[], request: StubRequest): Promise<Found | null> {
  for (const protocol of protocols) {
    const found = await findRoute(protocol, request);
    if (found !== null) {
      return { provider: protocol.name, call: found.call, handler: { protocol, route: found.route } };
    }
  }
  return null;
}

function findDownload({ method, path, headers }: StubRequest): Found | null {
  const provider = STUB_PROVIDERS.find((name) => path.startsWith(`/files/${name}/`));
  if (provider === undefined || method !== 'GET') {
    return null;
  }
  // A key that is sent with a download has leaked: the log shows it.
  const key = headers.authorization ?? headers['x-goog-api-key'] ?? null;
  const none = { model: null, prompt: null, asked: 0, job: null, body: undefined };
  return { provider, handler: null, call: { ...none, kind: 'download', key } };
}
