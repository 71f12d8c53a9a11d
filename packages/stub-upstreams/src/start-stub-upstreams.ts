import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bflProtocol } from './bfl/bfl-protocol.js';
import { comfyuiProtocol } from './comfyui/comfyui-protocol.js';
import type { Behaviour, StubProvider } from './core/behaviour.js';
import { createBehaviours } from './core/create-behaviours.js';
import { type CallFilter, type CallRecord, createCallLog } from './core/create-call-log.js';
import { createJobs } from './core/create-jobs.js';
import type { StubProtocol, StubRequest } from './core/protocol.js';
import { sendResponse } from './core/send-response.js';
import { serveCall } from './core/serve-call.js';
import { serveControl } from './core/serve-control.js';
import { dashscopeProtocol } from './dashscope/dashscope-protocol.js';
import { falProtocol } from './fal/fal-protocol.js';
import { geminiProtocol } from './gemini/gemini-protocol.js';
import { createImageStore } from './images/create-image-store.js';
import { createAzureProtocol, createOpenaiProtocol, type OpenaiServer } from './openai/openai-protocol.js';
import { openrouterProtocol } from './openrouter/openrouter-protocol.js';
import { replicateProtocol } from './replicate/replicate-protocol.js';
import { sdapiProtocol } from './sdapi/sdapi-protocol.js';
import { createTaskProtocol } from './task/task-protocol.js';
import { vertexProtocol } from './vertex/vertex-protocol.js';

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
  readonly keys?: Partial<Readonly<Record<StubProvider, readonly string[]>>>;
}

/** Stub upstream providers: they speak the protocols and behave as a test sets them. */
export interface StubUpstreams {
  /** The base URL of every one of them; their paths keep them apart. */
  readonly url: string;
  readonly port: number;
  readonly keys: Readonly<Record<StubProvider, readonly string[]>>;
  /** Settings that make the gateway use the stub as all of its providers. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces how a provider behaves from now on; the first behaviour that fits a call holds. */
  readonly behave: (
    provider: StubProvider,
    behaviour: Behaviour | Behaviour['mode'] | readonly Behaviour[],
    options?: { readonly seed?: number },
  ) => void;
  /** Resets all providers to good behaviour. */
  readonly behaveWell: () => void;
  readonly calls: (filter?: CallFilter) => CallRecord[];
  /** How often each prompt was submitted, over all providers. */
  readonly prompts: () => Record<string, number>;
  /** How many images were billed for each prompt, over all providers. */
  readonly billed: () => Record<string, number>;
  /** The prompts that were submitted more than once, also after a refusal. */
  readonly duplicates: () => Record<string, number>;
  readonly forgetCalls: () => void;
  readonly close: () => Promise<void>;
}

/** Starts the stub on loopback. */
export async function startStubUpstreams({
  port = 0,
  host = '127.0.0.1',
  fullSize = false,
  onlyOpenai = false,
  deployments = [],
  ends = {},
  keys: given = {},
}: StubOptions = {}): Promise<StubUpstreams> {
  const log = createCallLog();
  const behaviours = createBehaviours();
  const keys = { ...defaultKeys(), ...given };
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
    url,
    port: actual,
    keys,
    environment: buildEnvironment(url, keys),
    behave: (provider, behaviour, { seed } = {}) => {
      const list =
        typeof behaviour === 'string'
          ? [{ mode: behaviour }]
          : Array.isArray(behaviour)
            ? behaviour
            : [behaviour];
      behaviours.set(provider, list as readonly Behaviour[], seed);
    },
    behaveWell: () => behaviours.reset(),
    calls: (filter) => log.find(filter),
    prompts: () => log.prompts(),
    billed: () => log.billed(),
    duplicates: () => log.duplicates(),
    forgetCalls: () => log.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function defaultKeys(): Record<StubProvider, readonly string[]> {
  const two = (name: StubProvider): readonly string[] => [`stub-${name}-1`, `stub-${name}-2`];
  return {
    gemini: two('gemini'),
    fal: two('fal'),
    replicate: two('replicate'),
    openai: two('openai'),
    openrouter: two('openrouter'),
    vertex: two('vertex'),
    'azure-openai': two('azure-openai'),
    bfl: two('bfl'),
    dashscope: two('dashscope'),
    // Servers without a proxy require no key.
    sdapi: [...two('sdapi'), ''],
    comfyui: [...two('comfyui'), ''],
    task: two('task'),
  };
}

const BUILT_IN = [
  'gemini',
  'fal',
  'replicate',
  'openrouter',
  'openai',
] as const satisfies readonly StubProvider[];

/** The settings of the gateway that make a stub its upstream providers. */
function buildEnvironment(
  url: string,
  keys: Readonly<Record<StubProvider, readonly string[]>>,
): Record<string, string> {
  return Object.fromEntries(
    // All others are instances of the catalog, which have no settings.
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
    createTaskProtocol(),
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
