import { afterEach, describe, expect, test } from '@jest/globals';
import type { ImageProvider, ProviderJob, ProviderRequest } from '../../../src/providers/port.js';
import { collectEvents } from './collect-events.js';
import { FAULTS, type Fault, type FaultName, type Hostile, startHostile } from './start-hostile.js';

/** Stages of a job of a provider with a queue, in order; not every provider has every stage. */
export type Stage = 'submit' | 'status' | 'result' | 'download';

/** A provider with a queue, as far as the faults of its lines go. */
export interface QueueUnderTest {
  readonly name: string;
  readonly stages: readonly Stage[];
  /** Makes the adapter for a server; none of its calls takes longer than `callMs`. */
  readonly create: (url: string, callMs: number) => ImageProvider;
  readonly request: ProviderRequest;
  readonly job: ProviderJob;
  readonly getStage: (method: string, path: string) => Stage;
  /** True for a job with one image, `/b.png`. */
  readonly isSingle?: boolean;
  /** Returns the response of a good server; the job has two images, `/a.png` and `/b.png`. */
  readonly goodAnswer: (stage: Stage, url: string) => unknown;
}

const SUBMITTED: Readonly<Record<FaultName, string>> = {
  'reset before the answer': 'unknown',
  'reset in the middle of the body': 'unknown',
  'an answer that drips': 'unknown',
  'no answer': 'unknown',
  'a body of 200 MB': 'unknown',
  'a body of 200 MB that is not announced': 'unknown',
  HTML: 'unknown',
  'nothing in a good answer': 'unknown',
  'a packed body that nobody asked for': 'image image',
  'an endless redirect': 'bad-response',
  'another content type': 'image image',
};
/** The bytes of images are looked at by the worker; a download that takes a minute is no test. */
const DOWNLOADED: Readonly<Partial<Record<FaultName, string>>> = {
  'reset before the answer': 'image park',
  'reset in the middle of the body': 'image park',
  'a body of 200 MB': 'image bad-response',
  'a body of 200 MB that is not announced': 'image bad-response',
  HTML: 'image image',
  'nothing in a good answer': 'image image',
  'a packed body that nobody asked for': 'image image',
  'an endless redirect': 'image bad-response',
  'another content type': 'image image',
};
const names = Object.keys(FAULTS) as FaultName[];
/** Only these faults end by a time limit; where an answer comes, a slow machine must not look like a silent server. */
const ENDLESS: readonly FaultName[] = ['an answer that drips', 'no answer'];
/** Oddities of an answer that is understood all the same. */
const HARMLESS: readonly FaultName[] = ['another content type', 'a packed body that nobody asked for'];
const getCallMs = (fault: FaultName): number => (ENDLESS.includes(fault) ? 250 : 20_000);

/** Declares the tests of what faults on the line do to a provider with a queue. */
export function describeQueueFaults(queue: QueueUnderTest): void {
  const { name, stages, create, request, job, getStage, goodAnswer, isSingle = false } = queue;
  /** The first of two images is never spoilt. */
  const fit = (outcome: string | undefined): string | undefined =>
    isSingle ? outcome?.replace(/^image (?=.)/, '') : outcome;
  let server: Hostile | undefined;
  afterEach(() => server?.close());

  const start = async (spoilt: Stage | null, fault: Fault): Promise<Hostile> => {
    server = await startHostile((method, path, url) => {
      const stage = getStage(method, path);
      const spoils = stage === spoilt && (stage !== 'download' || /\bb\.png\b/.test(path));
      return { body: goodAnswer(stage, url), fault: spoils ? fault : undefined };
    });
    return server;
  };
  /** The events of a call in words, without the job's id, and the failure that it ended with. */
  const outcome = async (url: string, asked: ProviderRequest, fault: FaultName): Promise<string> => {
    const { events, error } = await collectEvents(create(url, getCallMs(fault)), asked);
    const words = events.flatMap(({ type }) => (type === 'job' ? [] : [type]));
    return [...words, ...(error ? [error.failure] : [])].join(' ');
  };

  describe(`${name}: a fault on the line`, () => {
    test.each(names)('leaves a submission unknown where it may have been billed: %s', async (fault) => {
      const { url, asked } = await start('submit', FAULTS[fault]);
      expect(await outcome(url, request, fault)).toBe(fit(SUBMITTED[fault]));
      expect(asked.filter(([what]) => what.startsWith('POST'))).toHaveLength(1);
    });

    test('says that nothing was sent when nobody listens', async () => {
      const { url, close } = await start(null, FAULTS.HTML);
      await close();
      expect(await outcome(url, request, 'HTML')).toBe('transport');
      expect(await outcome(url, { ...request, job }, 'HTML')).toBe('park');
    });

    const looks = stages.filter((stage) => stage === 'status' || stage === 'result');
    test.each(looks.flatMap((stage) => names.map((fault) => [stage, fault] as const)))(
      'says nothing about a job that is looked at (%s): %s',
      async (stage, fault) => {
        const { url, asked } = await start(stage, FAULTS[fault]);
        const expected = HARMLESS.includes(fault) ? fit('image image') : 'park';
        expect(await outcome(url, { ...request, job }, fault)).toBe(expected);
        expect(asked.filter(([what]) => what.startsWith('POST'))).toEqual([]);
      },
    );

    test.each(Object.entries(DOWNLOADED) as [FaultName, string][])(
      'never costs the other image: %s',
      async (fault, expected) => {
        const { url } = await start('download', FAULTS[fault]);
        expect(await outcome(url, { ...request, job }, fault)).toBe(fit(expected));
      },
    );

    test('delivers no slot twice in one call', async () => {
      const { url } = await start('download', FAULTS['reset before the answer']);
      const { events } = await collectEvents(create(url, 20_000), request);
      expect(events.flatMap((event) => (event.type === 'image' ? [event.slot] : []))).toEqual(
        isSingle ? [] : [0],
      );
    });

    test('ends a call that is ended, whatever it waits for', async () => {
      const { url } = await start(stages[1] ?? 'status', FAULTS['no answer']);
      const controller = new AbortController();
      const scope = { signal: controller.signal };
      const events = create(url, 20_000).generate({ ...request, job }, scope);
      const next = events.next();
      controller.abort(new Error('the end'));
      await expect(next).rejects.toThrow('the end');
    });
  });
}
