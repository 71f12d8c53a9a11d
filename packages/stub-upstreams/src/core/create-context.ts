import type { ImageSpec, ImageStore } from '../images/create-image-store.js';
import { describeInput } from '../images/describe-input.js';
import type { Behaviour, StubProvider } from './behaviour.js';
import { readForm, type StubCall, type StubRequest, type StubResponse, type Upload } from './call.js';
import type { CallRecord } from './create-call-log.js';
import type { Job, Jobs } from './create-jobs.js';
import type { Replies, ReplyValues } from './replies.js';

/** State that all calls share. */
export interface StubState {
  readonly jobs: Jobs;
  readonly images: ImageStore;
  /** Input images that were put there before, by their address. */
  readonly uploads: Map<string, Upload>;
}

/** Call that is to be answered. */
interface OpenCall {
  readonly provider: StubProvider;
  readonly call: StubCall;
  readonly request: StubRequest;
  readonly behaviour: Behaviour;
  readonly record: CallRecord;
  readonly replies: Replies | null;
}

/** Context in which a protocol answers one call, and all that it can do there. */
export type StubContext = ReturnType<typeof createContext>;

const DEFAULT_WAIT_S = 2;

/** Answer where no protocol has the path. */
export const NOTHING: StubResponse = { status: 404, body: { detail: 'Not Found' } };

/** Text in place of the bytes of an image that are to be unreadable. */
export const NO_BASE64 = '*** no base64 ***';

/** Makes the context of a call; what is done in it is written down in the log. */
export function createContext(state: StubState, open: OpenCall) {
  const { provider, call, request, behaviour, record, replies } = open;
  const { jobs, images, uploads } = state;
  const { mode, retryAfterS: seconds = DEFAULT_WAIT_S } = behaviour;
  return {
    ...state,
    call,
    request,
    behaviour,
    mode,
    /** Builds an answer from the provider's table of replies. */
    reply: (name: string, values: ReplyValues = {}): StubResponse => {
      const { model, job } = call;
      return replies?.(name, { model, job, seconds, ...values }) ?? NOTHING;
    },
    /** Makes as many of the images as the behaviour lets through, and bills them. */
    bill: (asked: number): number => {
      const fewer = mode === 'fewer-images' ? Math.max(0, behaviour.images ?? asked - 1) : asked;
      const made = mode === 'no-image' ? 0 : fewer;
      record.billed += made;
      return made;
    },
    /** Reads input images; returns the place of the first bad one, -1 when the behaviour refuses all, null for none. */
    readInputs: async (inputs: readonly unknown[]): Promise<number | null> => {
      const described = await Promise.all(
        inputs.map((input) =>
          describeInput(
            Buffer.isBuffer(input) ? input : (uploads.get(String(input))?.bytes ?? String(input)),
          ),
        ),
      );
      record.inputs = described.map(({ digest }) => digest);
      const bad = described.findIndex(({ readable }) => !readable);
      return bad === -1 && mode !== 'invalid-input' ? null : bad;
    },
    /** Begins the job of this call. */
    addJob: (
      input: Job['input'],
      work: (job: Job) => StubResponse | Promise<StubResponse>,
      own: Partial<Pick<Job, 'id'>> = {},
    ): Job => {
      const job = jobs.add(
        { provider, model: call.model ?? '', key: call.key, input, behaviour, ...own },
        work,
      );
      record.job = job.id;
      return job;
    },
    /** Finds the job that the call is about; null also when it is to be forgotten. */
    findJob: (): Job | null => (mode === 'job-lost' ? null : jobs.find(provider, call.job, call.key)),
    listJobs: (): Job[] => (mode === 'job-lost' ? [] : jobs.list(provider, call.key)),
    /** Keeps a new image for ever or for some seconds, and returns its address. */
    keep: (order: ImageSpec, seconds?: number): string =>
      `${request.origin}${images.keep(provider, order, behaviour, seconds)}`,
    /** Makes a new image in base64, which is none when the behaviour says so. */
    encode: async (order: ImageSpec): Promise<string> =>
      mode === 'invalid-base64' ? NO_BASE64 : (await images.make(order, behaviour)).toString('base64'),
    /** Builds the response of a download, or 404 for what is not there or is to be gone; the behaviour is that of this call. */
    download: async (path: string): Promise<StubResponse> => {
      const found = images.kept(path);
      const kept = found === null || mode === 'ok' ? found : { ...found, behaviour };
      if (kept === null || kept.behaviour.mode === 'output-gone') {
        return { status: 404, headers: { 'content-type': 'text/plain' }, body: Buffer.from('Not Found') };
      }
      const headers = { 'content-type': `image/${kept.format}`, 'cache-control': 'public, max-age=31536000' };
      return { status: 200, headers, body: await images.draw(kept) };
    },
    /** Reads the file in a field of the form; undefined when there is none. */
    readFile: async (field: string): Promise<Upload | undefined> =>
      (await readForm(request))?.files.find((file) => file.field === field),
  };
}

/** Makes a list of so many results. */
export const repeat = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Waits for a list of so many results. */
export const repeatAsync = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(repeat(count, make));
