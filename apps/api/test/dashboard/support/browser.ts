import type { TestApi } from '../../support/start-api.js';

/** An answer of the dashboard. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The payload of the envelope, whatever it is. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Browser that sends requests and forms, and keeps cookies. */
export interface Browser {
  readonly get: (path: string, headers?: Record<string, string>) => Promise<PageAnswer>;
  /** Sends JSON, or a file as it is. */
  readonly post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<PageAnswer>;
  readonly cookie: () => string;
}

/** Opens a browser on the dashboard; paths begin after `/dashboard/api` unless they begin with `//`. */
export function openBrowser(api: Pick<TestApi, 'url'>): Browser {
  const jar = new Map<string, string>();
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (path: string, init: RequestInit): Promise<PageAnswer> => {
    const target = path.startsWith('//') ? path.slice(1) : `/dashboard/api${path}`;
    const headers = { ...(jar.size > 0 && { cookie: cookie() }), ...(init.headers as object) };
    const response = await fetch(api.url + target, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) {
        jar.delete(name);
      } else {
        jar.set(name, value);
      }
    }
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    const envelope = (isJson ? JSON.parse(text) : {}) as Partial<PageAnswer>;
    const { data = {}, error = null } = envelope;
    return { status: response.status, headers: response.headers, text, data, error };
  };
  return {
    cookie,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: {
          origin: api.url,
          ...(body !== undefined && {
            'content-type': body instanceof Blob ? body.type : 'application/json',
          }),
          ...headers,
        },
        ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      }),
  };
}
