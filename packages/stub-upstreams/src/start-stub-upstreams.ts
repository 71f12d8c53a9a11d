import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Behaviour, STUB_PROVIDERS, type StubProvider } from './core/behaviour.js';
import type { StubRequest } from './core/call.js';
import { createBehaviours } from './core/create-behaviours.js';
import { createCallLog } from './core/create-call-log.js';
import { createJobs } from './core/create-jobs.js';
import type { StubProtocol } from './core/protocol.js';
import { sendResponse } from './core/send-response.js';
import { serveCall } from './core/serve-call.js';
import { serveControl } from './core/serve-control.js';
import { createImageStore } from './images/create-image-store.js';
import { bflProtocol } from './protocols/bfl.js';
import { comfyuiProtocol } from './protocols/comfyui.js';
import { dashscopeProtocol } from './protocols/dashscope.js';
import { falProtocol } from './protocols/fal.js';
import { geminiProtocol } from './protocols/gemini.js';
import { createAzureProtocol, createOpenaiProtocol, type OpenaiServer } from './protocols/openai.js';
import { openrouterProtocol } from './protocols/openrouter.js';
import { replicateProtocol } from './protocols/replicate.js';
import { sdapiProtocol } from './protocols/sdapi.js';
import { createTaskProtocols } from './protocols/task.js';
import { vertexProtocol } from './protocols/vertex.js';

type Keys = Readonly<Record<StubProvider, readonly string[]>>;

/** How the stub is started. */
export interface StubOptions {
  /** Any free one unless given. */
  readonly port?: number;
  readonly host?: string;
  /** Draws images as large as requested; otherwise small ones of the same shape. */
  readonly fullSize?: boolean;
  /** OpenAI itself, which has no other models than its own; otherwise those are on a server like vLLM-Omni. */
  readonly onlyOpenai?: boolean;
  /** Names of deployments at OpenAI's protocol, as Azure and LiteLLM have them, behind which is a model of OpenAI. */
  readonly deployments?: readonly string[];
  /** Ends of OpenAI's models that its list states, such as `2026-12-20`. */
  readonly ends?: Readonly<Record<string, string>>;
  /** Keys that are good, instead of two of each provider: `stub-fal-1` and `stub-fal-2`. */
  readonly keys?: Partial<Keys>;
}

/** Stub upstream providers: they speak the protocols and behave as a test sets them. */
export type StubUpstreams = Awaited<ReturnType<typeof startStubUpstreams>>;

/** Starts the stub on loopback. */
export async function startStubUpstreams({
  port = 0,
  host = '127.0.0.1',
  fullSize = false,
  onlyOpenai = false,
  deployments = [],
  ends = {},
  keys: given = {},
}: StubOptions = {}) {
  const log = createCallLog();
  const behaviours = createBehaviours();
  const keys = { ...DEFAULT_KEYS, ...given };
  const calls = {
    protocols: createProtocols({ compatible: !onlyOpenai, deployments, ends }),
    keys,
    log,
    behaviours,
    jobs: createJobs(),
    images: createImageStore({ fullSize }),
    uploads: new Map(),
  };

  const server = createServer((incoming, response) => {
    response.on('error', () => response.destroy());
    readRequest(incoming)
      .then((request) => {
        const control = serveControl({ log, behaviours }, request);
        if (control !== null) {
          return sendResponse(response, control, 'ok');
        }
        return serveCall(calls, request, response);
      })
      .catch((error: unknown) => {
        // A fault of the stub must not look like one of a provider.
        if (!response.headersSent) {
          response.writeHead(599);
        }
        response.end(`stub: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
      });
  });
  // A connection that is closed for being idle just when it is used again would look like an injected fault.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const actual = (server.address() as AddressInfo).port;
  const url = `http://${host}:${actual}`;
  return {
    /** The base URL of every provider; their paths keep them apart. */
    url,
    port: actual,
    keys,
    /** Settings that make the gateway use the stub as all of its providers. */
    environment: buildEnvironment(url, keys),
    /** Replaces how a provider behaves from now on; the first behaviour that fits a call holds. */
    behave: (
      provider: StubProvider,
      behaviour: Behaviour | Behaviour['mode'] | readonly Behaviour[],
      { seed }: { readonly seed?: number } = {},
    ) => {
      const list = [behaviour].flat() as readonly (Behaviour | Behaviour['mode'])[];
      const whole = list.map((each) => (typeof each === 'string' ? { mode: each } : each));
      behaviours.set(provider, whole, seed);
    },
    /** Resets all providers to good behaviour. */
    behaveWell: behaviours.reset,
    calls: log.find,
    prompts: log.prompts,
    billed: log.billed,
    duplicates: log.duplicates,
    forgetCalls: log.clear,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Two keys of each provider; servers without a proxy require none. */
const DEFAULT_KEYS = Object.fromEntries(
  STUB_PROVIDERS.map((name) => {
    const two = [`stub-${name}-1`, `stub-${name}-2`];
    return [name, name === 'sdapi' || name === 'comfyui' ? [...two, ''] : two];
  }),
) as unknown as Keys;

/** Providers with settings; all others are instances of the catalog, which have none. */
const BUILT_IN = ['gemini', 'fal', 'replicate', 'openrouter', 'openai'] as const;

/** The settings of the gateway that make a stub its upstream providers. */
function buildEnvironment(url: string, keys: Keys): Record<string, string> {
  return Object.fromEntries(
    BUILT_IN.flatMap((name) => [
      [`${name.toUpperCase()}_API_KEY`, keys[name].join(',')],
      [`${name.toUpperCase()}_BASE_URL`, url],
    ]),
  );
}

/**
 * Every protocol, in the order in which they are matched with a path: fal's paths begin with anything, and OpenRouter's with
 * what DashScope's begin with.
 */
function createProtocols(openai: OpenaiServer): readonly StubProtocol[] {
  return [
    ...createTaskProtocols(),
    vertexProtocol,
    geminiProtocol,
    dashscopeProtocol,
    openrouterProtocol,
    createOpenaiProtocol(openai),
    createAzureProtocol(openai),
    bflProtocol,
    sdapiProtocol,
    replicateProtocol,
    comfyuiProtocol,
    falProtocol,
  ];
}

/** Reads a whole request; rejects when the caller goes away. */
async function readRequest(incoming: IncomingMessage): Promise<StubRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) {
    parts.push(part as Buffer);
  }
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const origin = `http://${headers.host ?? 'localhost'}`;
  const url = new URL(incoming.url ?? '/', origin);
  return {
    method: incoming.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers,
    body: Buffer.concat(parts),
    origin,
  };
}
