import type { StubProvider } from '../../src/index.js';

/** A good request for one image in each protocol. */
export const REQUESTS: Readonly<
  Record<
    StubProvider,
    { path: string; headers: (key: string) => Record<string, string>; body: (prompt: string) => object }
  >
> = {
  gemini: {
    path: '/v1beta/models/gemini-nano-banana-2.1:generateContent',
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  fal: {
    path: '/fal-ai/nano-banana',
    headers: (key) => ({ authorization: `Key ${key}` }),
    body: (prompt) => ({ prompt }),
  },
  replicate: {
    path: '/v1/models/google/nano-banana/predictions',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ input: { prompt } }),
  },
  openai: {
    path: '/v1/images/generations',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ model: 'gpt-image-2', prompt }),
  },
  openrouter: {
    path: '/api/v1/images',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ model: 'google/gemini-nano-banana-2.1', prompt }),
  },
};

/** Sends that request. */
export function submit(
  url: string,
  provider: StubProvider,
  {
    key = `stub-${provider}-1`,
    prompt = 'a red fox',
    ...init
  }: { key?: string; prompt?: string } & RequestInit = {},
): Promise<Response> {
  const { path, headers, body } = REQUESTS[provider];
  return fetch(`${url}${path}`, {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers(key) },
    body: JSON.stringify(body(prompt)),
    redirect: 'manual',
  });
}
