import { spawn } from 'node:child_process';
import { eventually } from '../eventually.js';
import { freePort } from '../product/ports.js';
import { projectRoot } from '../product/product.js';
import { environmentWith } from '../product/settings.js';

/** A call that reached a stub upstream. */
export interface UpstreamCall {
  provider: string;
  kind: 'submit' | 'poll' | 'result' | 'download' | 'cancel' | 'check';
  prompt: string | null;
  asked: number;
  /** Images that were made and cost money, also when the answer was lost. */
  billed: number;
  job: string | null;
  mode: string;
  /** Fields of the request. */
  fields: unknown;
}

/** Upstream providers that behave as they are told, in a process of their own. */
export type Upstreams = Awaited<ReturnType<typeof startUpstreams>>;

/** `npm run stub-upstreams` on a port of its own. */
export async function startUpstreams() {
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn('npm', ['run', '--silent', 'stub-upstreams', '--', '--port', new URL(url).port], {
    cwd: projectRoot,
    env: environmentWith({}),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/__stub/${path}`, init);
    if (!answer.ok) {
      throw new Error(`the stub answered ${answer.status}: ${await answer.text()}`);
    }
    return answer.json();
  };
  await eventually(() => ask('calls'), { withinMs: 60_000 });
  return {
    url,
    /** Settings that make the gateway use these providers, in this order. */
    settings: (...providers: string[]): Record<string, string> => ({
      PROVIDERS: providers.join(','),
      ...Object.fromEntries(
        providers.flatMap((name) => [
          [`${name.toUpperCase()}_API_KEY`, `stub-${name}-1,stub-${name}-2`],
          [`${name.toUpperCase()}_BASE_URL`, url],
        ]),
      ),
    }),
    behave: async (behaviours: Readonly<Record<string, unknown>>) => {
      const headers = { 'content-type': 'application/json' };
      await ask('behaviour', { method: 'PUT', headers, body: JSON.stringify(behaviours) });
    },
    calls: async () => ((await ask('calls')) as { calls: UpstreamCall[] }).calls,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
