import type { CallKind, StubProvider } from './behaviour.js';
import { readForm, readJson, type StubCall, type StubRequest, type StubResponse, toRecord } from './call.js';
import type { StubContext } from './create-context.js';
import type { Job } from './create-jobs.js';
import type { Replies } from './replies.js';

/** Parts of a call that a route reads beside those in its path; a text that is none counts as absent. */
export interface CallParts {
  readonly model?: unknown;
  readonly prompt?: unknown;
  readonly asked?: unknown;
  readonly job?: unknown;
  readonly key?: string | null;
}

/** Request that a protocol knows. */
export interface Route {
  /** Method and path; groups named `model` and `job` are parts of the call. */
  readonly at: RegExp;
  readonly kind: CallKind;
  /** Reads further parts; null when the request is not for this route after all. */
  readonly read?: (json: Readonly<Record<string, unknown>>, request: StubRequest) => CallParts | null;
  /** Names of fields of a form that are numbers; a route without them reads JSON only. */
  readonly formNumbers?: readonly string[];
  /** Answer to a key that is not good, where the route has one of its own. */
  readonly wrongKey?: StubResponse;
  readonly answer: (context: StubContext) => StubResponse | Promise<StubResponse>;
}

/** One provider's protocol: data for the engine. */
export interface StubProtocol {
  readonly name: StubProvider;
  readonly readKey: (headers: StubRequest['headers'], query: URLSearchParams) => string | null;
  /** The first that fits a request holds. */
  readonly routes: readonly Route[];
  /** Answers in the provider's words: a refusal by its mode, and `auth` or `no-key` for a key that is not good. */
  readonly replies: Replies;
}

/** Makes the answer about a job that is there; another one gets the reply `job-lost`. */
export const withJob =
  (answer: (context: StubContext, job: Job) => StubResponse | Promise<StubResponse>): Route['answer'] =>
  (context) => {
    const job = context.findJob();
    return job === null ? context.reply('job-lost') : answer(context, job);
  };

/** Reads the key after a scheme such as `Bearer` from the header. */
export function readAuthorization(headers: StubRequest['headers'], scheme = 'Bearer'): string | null {
  return new RegExp(`^(?:${scheme}) (.+)$`).exec(headers.authorization ?? '')?.[1] ?? null;
}

const readText = (...values: unknown[]): string | null =>
  values.find((value): value is string => typeof value === 'string') ?? null;

const readFields: NonNullable<Route['read']> = ({ model, prompt, n }) => ({ model, prompt, asked: n });

/** Finds the route of a request and reads the call; null when the protocol has none. */
export async function findRoute(
  { readKey, routes }: StubProtocol,
  request: StubRequest,
): Promise<{ readonly route: Route; readonly call: StubCall } | null> {
  const { method, path, headers, query } = request;
  for (const route of routes) {
    const match = route.at.exec(`${method} ${path}`);
    if (match === null) {
      continue;
    }
    const { kind, formNumbers, read = readFields } = route;
    const form = formNumbers === undefined ? null : await readForm(request);
    const toEntry = ([name, value]: readonly [string, string]) =>
      [name, formNumbers?.includes(name) && value ? Number(value) : value] as const;
    const body = form ? Object.fromEntries(form.fields.map(toEntry)) : readJson(request.body);
    const parts = read(toRecord(body), request);
    if (parts !== null) {
      const { key = readKey(headers, query), asked = kind === 'submit' ? 1 : 0 } = parts;
      const model = readText(parts.model, match.groups?.model);
      const job = readText(parts.job, match.groups?.job);
      const prompt = readText(parts.prompt);
      const call = { kind, key, body, model, prompt, job, asked: Number(asked), files: form?.files };
      return { route, call };
    }
  }
  return null;
}
