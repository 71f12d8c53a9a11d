import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageStore } from '../images/create-image-store.js';
import {
  type Behaviour,
  REFUSALS,
  type Refusal,
  STUB_PROVIDERS,
  type StubMode,
  type StubProvider,
} from './behaviour.js';
import { buildDownload } from './build-download.js';
import type { Behaviours } from './create-behaviours.js';
import type { CallLog } from './create-call-log.js';
import type { Jobs } from './create-jobs.js';
import type { StubCall, StubProtocol, StubRequest, Upload } from './protocol.js';
import { sendResponse } from './send-response.js';
import type { StubResponse } from './stub-response.js';

/** Dependencies for serving calls. */
export interface CallServer {
  readonly protocols: readonly StubProtocol[];
  readonly keys: Readonly<Record<StubProvider, readonly string[]>>;
  readonly log: CallLog;
  readonly behaviours: Behaviours;
  readonly jobs: Jobs;
  readonly images: ImageStore;
  readonly uploads: Map<string, Upload>;
}

const SLOW_MS = 2_000;
const FILE = /^\/files\/([a-z]+)\//;
const WITHOUT_WORK: ReadonlySet<StubMode> = new Set(['down', 'html', 'empty', 'redirect']);
const nothing: StubResponse = { status: 404, body: { detail: 'Not Found' } };

/** Answers one call in the words of the provider that it is for, as that provider is to behave, and writes it down. */
export async function serveCall(
  server: CallServer,
  request: StubRequest,
  response: ServerResponse,
): Promise<void> {
  const found = (await readDownload(request)) ?? (await readCall(server.protocols, request));
  if (found === null) {
    return sendResponse(response, nothing, 'ok');
  }
  const { provider, protocol, call } = found;
  const behaviour = server.behaviours.choose(provider, call);
  const { mode } = behaviour;
  const { method, path } = request;
  const record = server.log.open({ ...call, provider, method, path, mode });
  const latencyMs = behaviour.latencyMs ?? (mode === 'slow' ? SLOW_MS : 0);
  if (latencyMs > 0) {
    await sleep(latencyMs, undefined, { ref: false });
  }

  const answer = await buildResponse();
  if (mode !== 'hang' && mode !== 'down' && mode !== 'lost-answer') {
    record.status = answer.status;
  }
  sendResponse(response, answer, mode);

  async function buildResponse(): Promise<StubResponse> {
    if (WITHOUT_WORK.has(mode)) {
      return nothing;
    }
    if (protocol === null) {
      return buildDownload(path, server.images, behaviour);
    }
    if (!server.keys[provider].includes(call.key ?? '')) {
      return protocol.wrongKey(call);
    }
    if (isRefusal(mode)) {
      return protocol.refuse(mode, call, behaviour);
    }
    return protocol.answer(call, request, {
      behaviour,
      jobs: server.jobs,
      images: server.images,
      uploads: server.uploads,
      bill: (images) => {
        record.billed += images;
      },
      noteJob: (id) => {
        record.job = id;
      },
      noteInputs: (inputs) => {
        record.inputs = inputs;
      },
    });
  }
}

interface Found {
  readonly provider: StubProvider;
  /** Null for a file. */
  readonly protocol: StubProtocol | null;
  readonly call: StubCall;
}

function isRefusal(mode: Behaviour['mode']): mode is Refusal {
  return (REFUSALS as readonly string[]).includes(mode);
}

async function readCall(protocols: readonly StubProtocol[], request: StubRequest): Promise<Found | null> {
  for (const protocol of protocols) {
    const call = await protocol.read(request);
    if (call !== null) {
      return { provider: protocol.name, protocol, call };
    }
  }
  return null;
}

function readDownload({ method, path, headers }: StubRequest): Promise<Found | null> {
  const provider = STUB_PROVIDERS.find((name) => name === FILE.exec(path)?.[1]);
  if (provider === undefined || method !== 'GET') {
    return Promise.resolve(null);
  }
  // A key that is sent with a download has leaked: the log shows it.
  const key = headers.authorization ?? headers['x-goog-api-key'] ?? null;
  const of = { kind: 'download', model: null, prompt: null, asked: 0, job: null, body: undefined } as const;
  return Promise.resolve({ provider, protocol: null, call: { ...of, key } });
}
