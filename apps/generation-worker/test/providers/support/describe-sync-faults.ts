import { afterEach, describe, expect, test } from '@jest/globals';
import type { ImageProvider, ProviderRequest } from '../../../src/providers/port.js';
import { collectEvents } from './collect-events.js';
import { FAULTS, type Fault, type FaultName, type Hostile, startHostile } from './start-hostile.js';

/** A provider that answers with the images themselves, as far as the faults of its line go. */
export interface SyncUnderTest {
  readonly name: string;
  /** Makes the adapter for a server, with one timeout for every call. */
  readonly create: (url: string, timeoutMs: number) => ImageProvider;
  /** Asks for one image. */
  readonly request: ProviderRequest;
  /** A good answer with one image, which is this base64. */
  readonly answerWith: (base64: string) => unknown;
}

const IMAGE = Buffer.from('an image');
const NO_BASE64 = '!!! no base64 at all ###';

/** Longer than any answer of this machine to itself takes, but for those that never end. */
const PATIENT_MS = 20_000;
const SHORT_MS = 1_000;
const ENDLESS: ReadonlySet<string> = new Set<FaultName>(['an answer that drips', 'no answer']);

/** Failures by fault: a request without a status may have been billed, and an unreadable response with a good status is a bad one. */
const ENDS: Readonly<Record<FaultName, string>> = {
  'reset before the answer': 'unknown',
  'reset in the middle of the body': 'bad-response',
  'an answer that drips': 'unknown',
  'no answer': 'unknown',
  'a body of 200 MB': 'bad-response',
  'a body of 200 MB that is not announced': 'bad-response',
  HTML: 'bad-response',
  'nothing in a good answer': 'bad-response',
  'a packed body that nobody asked for': 'image',
  'an endless redirect': 'bad-response',
  'another content type': 'image',
};

/** Declares the tests of what faults on the line do to a provider without a queue. */
export function describeSyncFaults({ name, create, request, answerWith }: SyncUnderTest): void {
  let server: Hostile | undefined;
  afterEach(() => server?.close());

  const start = async (body: unknown, fault?: Fault): Promise<Hostile> => {
    server = await startHostile(() => ({ body, fault }));
    return server;
  };
  /** The images of a call and the failure that it ended with, in words. */
  const outcome = async (url: string, timeoutMs = PATIENT_MS): Promise<string> => {
    const { events, error } = await collectEvents(create(url, timeoutMs), request);
    const words = events.flatMap(({ type }) => (type === 'image' ? [type] : []));
    return [...words, ...(error ? [error.failure] : [])].join(' ');
  };

  describe(`${name}: a fault on the line`, () => {
    test.each(Object.entries(ENDS) as [FaultName, string][])(
      'is known for what it is, and nothing is asked twice: %s',
      async (fault, expected) => {
        const { url, asked } = await start(answerWith(IMAGE.toString('base64')), FAULTS[fault]);
        expect(await outcome(url, ENDLESS.has(fault) ? SHORT_MS : PATIENT_MS)).toBe(expected);
        expect(asked).toHaveLength(1);
      },
    );

    test('takes no image from an answer that is no success', async () => {
      const { url } = await start(answerWith(IMAGE.toString('base64')), (outgoing, body) =>
        outgoing.writeHead(302, { 'content-type': 'application/json', location: '/' }).end(body),
      );
      expect(await outcome(url)).toBe('bad-response');
    });

    test('says that nothing was sent when nobody listens', async () => {
      const { url, close } = await start(null);
      await close();
      expect(await outcome(url)).toBe('transport');
    });

    test('delivers the bytes that came, in a good answer', async () => {
      const { url } = await start(answerWith(IMAGE.toString('base64')));
      const { events } = await collectEvents(create(url, PATIENT_MS), request);
      expect(events.filter(({ type }) => type === 'image')).toEqual([
        // An upstream may say more of an image.
        expect.objectContaining({ type: 'image', bytes: IMAGE, slot: request.slots[0] }),
      ]);
    });

    test('leaves an image that is no base64 to whoever looks at the bytes', async () => {
      const { url } = await start(answerWith(NO_BASE64));
      expect(await outcome(url)).toBe('image');
    });

    test.each([
      null,
      7,
      'text',
      [],
      {},
      [[]],
      { error: 'text' },
      { error: null },
      { error: { details: [null] } },
    ])('is a bad answer when it makes no sense: %j', async (body) => {
      const { url } = await start(body);
      expect(await outcome(url)).toMatch(/^(bad-response|no-image)$/);
    });

    test('ends a call that is ended', async () => {
      const { url } = await start(null, FAULTS['no answer']);
      const controller = new AbortController();
      const scope = { signal: controller.signal };
      const next = create(url, PATIENT_MS).generate(request, scope).next();
      controller.abort(new Error('the end'));
      await expect(next).rejects.toThrow();
    });
  });
}
