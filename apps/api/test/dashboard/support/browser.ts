import type { CallOptions, TestApi } from '../../support/start-api.js';

type Headers = Readonly<Record<string, string>>;
interface Envelope {
  /** The payload, whatever it is. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Browser that sends requests and forms, and keeps cookies. */
export type Browser = ReturnType<typeof openBrowser>;

/** An answer of the dashboard. */
export type PageAnswer = Awaited<ReturnType<Browser['get']>>;

/** Opens a browser on the dashboard; paths begin after `/dashboard/api` unless they begin with `//`. */
export function openBrowser(api: Pick<TestApi, 'url' | 'call'>) {
  const jar = new Map<string, string>();
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (path: string, options: CallOptions) => {
    const target = path.startsWith('//') ? path.slice(1) : `/dashboard/api${path}`;
    const headers = { ...(jar.size > 0 && { cookie: cookie() }), ...options.headers };
    const { json, ...answer } = await api.call(target, { ...options, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) {
        jar.delete(name);
      } else {
        jar.set(name, value);
      }
    }
    const { data = {}, error = null } = { ...(json as object) } as Partial<Envelope>;
    return { ...answer, data, error };
  };
  return {
    cookie,
    get: (path: string, headers: Headers = {}) => ask(path, { headers }),
    /** Sends JSON, or a file as it is. */
    post: (path: string, body?: unknown, headers: Headers = {}) =>
      ask(path, { method: 'POST', body, headers: { origin: api.url, ...headers } }),
  };
}
