import type { UpstreamName } from '@image-gateway/shared/upstreams';
import { afterEach, describe, expect, test } from '@jest/globals';
import { PROVIDER_MAKERS } from '../../src/providers/provider-makers.js';
import { aRequest } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { PATIENT } from './support/follow-through.js';
import { type Hostile, startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const NAMES = Object.keys(PROVIDER_MAKERS) as UpstreamName[];
const workflow = { 6: { class_type: 'X', inputs: { text: '{{prompt}}', seed: '{{seed}}' } } };
const json = { 'content-type': 'application/json' };
const broken = '{"images": [{"url": "https://exa';

interface Trouble {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Answers that any server can give, and their class; an unreadable acceptance of a job is an unknown outcome. */
const TROUBLES: readonly (readonly [string, Trouble, string, number | undefined])[] = [
  ['a wrong key', { status: 401 }, 'auth', undefined],
  ['no money', { status: 402 }, 'billing', undefined],
  ['a rate limit', { status: 429 }, 'rate-limit', undefined],
  ['a rate limit with a pause', { status: 429, headers: { 'retry-after': '7' } }, 'rate-limit', 7_000],
  ['overload with a pause', { status: 503, headers: { 'retry-after': '9' } }, 'overload', 9_000],
  ['an internal error', { status: 500 }, 'upstream-error', undefined],
  ['a timeout of the server', { status: 504 }, 'timeout', undefined],
  ['an error whose text is no JSON', { status: 500, body: broken }, 'upstream-error', undefined],
  ['a good answer whose text is no JSON', { status: 200, body: broken }, 'bad-response|unknown', undefined],
];

let server: Hostile | undefined;
afterEach(() => server?.close());

describe.each(NAMES)('trouble at %s', (name) => {
  test.each(TROUBLES)(
    '%s is known for what it is, and submitted once',
    async (_what, trouble, expected, pause) => {
      server = await startHostile(() => ({
        body: null,
        fault: (outgoing) =>
          outgoing.writeHead(trouble.status, { ...json, ...trouble.headers }).end(trouble.body ?? '{}'),
      }));
      const provider = PROVIDER_MAKERS[name]({
        upstream: upstreamAt(name, server.url),
        own: true,
        task: { preset: 'evolink' },
        times: { pace: PATIENT },
      });
      const options = name === 'comfyui' ? { workflow } : {};
      const key = { fingerprint: 'f', secret: 'a-key' };
      const { events, error } = await collectEvents(provider, aRequest({ options, key }));
      expect(events).toEqual([]);
      expect(expected.split('|')).toContain(error?.failure);
      expect(error?.retryAfterMs).toBe(pause);
      // A workflow that may run is looked for once, by the id that we gave it.
      const looked = name === 'comfyui' && error?.failure === 'unknown' ? ['GET /queue'] : [];
      expect(server.asked.map(([line]) => line)).toEqual([expect.stringMatching(/^POST /), ...looked]);
      // The name of the class of an unreadable answer follows from whether a job may run.
      expect(error?.failure === 'unknown').toBe(provider.asynchronous && expected.includes('unknown'));
    },
  );
});
