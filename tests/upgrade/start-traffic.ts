import { setTimeout as sleep } from 'node:timers/promises';
import type { Wish } from '../faults/load/submission.js';
import { askFacade } from './ask-facade.js';
import { type Address, ANSWERED, type Client, callApi, generate, readData } from './call-api.js';
import { followTask, type Task } from './follow-task.js';
import { KINDS } from './kinds.js';

/** A request that was accepted. */
export interface Sent {
  readonly wish: Wish;
  readonly key: string | null;
  /** Images that have to be delivered and charged. */
  readonly images: number;
  /** How the receiver answers this task's webhook; null when none was asked for. */
  readonly hook: 'ok' | 'flaky' | null;
  readonly id: string;
  /** The whole body of the 202. */
  readonly answer: string;
  readonly by: Address['release'];
  /** Task as a client first saw its end. */
  ended: Task | null;
  /** True when its account has deleted it. */
  readonly isErased?: boolean;
  /** True when it was sent with the key that gets a cap. */
  readonly isCapped?: boolean;
}

/** Completes what is known of an accepted request: the new release took it unless it says otherwise. */
export const toSent = (one: Pick<Sent, 'id' | 'wish' | 'images' | 'ended'> & Partial<Sent>): Sent => ({
  key: null,
  hook: null,
  answer: '',
  by: 'new',
  ...one,
});

/** Requests that go on through all steps of the upgrade. */
export type Traffic = ReturnType<typeof startTraffic>;

/** The promise under which wrong answers to repeated keys are noted. */
export const REPEATED =
  'a repeated Idempotency-Key gets the first answer, whichever release took the first request';

const PER_SECOND = 10;
/** Every so many requests one goes to the facade as well, once the new release has an API. */
const FACADE_EVERY = 4;
const LIST_EVERY = 15;
const LISTS = ['/v1/tasks?per_page=5', '/v1/usage?per_page=5', '/v1/usage/summary'];

/** Begins to send: every kind in turn, half of them with a key that is repeated at once and later. */
export function startTraffic(
  { cappedKey, ...client }: Client & { readonly cappedKey: string },
  {
    hookUrl,
    imageUrl,
  }: { readonly hookUrl: (way: string, rest: string) => string; readonly imageUrl: string },
  first: readonly Address[],
) {
  let addresses = first;
  let turn = 0;
  let stopped = false;
  const sent: Sent[] = [];
  const results: string[] = [];
  /** How many Idempotency-Keys were first used at one release and repeated at the other, such as `old to new`. */
  const replays: Record<string, number> = {};
  let facadeAnswers = 0;
  const running = new Set<Promise<void>>();
  const next = (): Address => {
    turn += 1;
    const address = addresses[turn % addresses.length];
    if (address === undefined) {
      throw new Error('there is no API to send to');
    }
    return address;
  };
  const post = (address: Address, { wish, key, isCapped }: Pick<Sent, 'wish' | 'key' | 'isCapped'>) =>
    callApi(
      isCapped === true ? { ...client, apiKey: cappedKey } : client,
      () => (addresses.includes(address) ? address : next()),
      generate(wish, key === null ? {} : { 'idempotency-key': key }),
      202,
    );

  const submit = async (number: number): Promise<void> => {
    const kind = KINDS[number % KINDS.length];
    if (kind === undefined) {
      throw new Error('there are no kinds of requests');
    }
    const result = results[number % Math.max(1, results.length)];
    const inputs = (kind.inputs ?? []).flatMap((one) => (one === 'foreign' ? imageUrl : (result ?? [])));
    // Neither 5 nor 2 divides the number of kinds: every kind meets every way of these.
    const hook = number % 5 === 4 ? null : number % 5 === 3 ? 'flaky' : 'ok';
    const wish: Wish = {
      ...kind.wish,
      ...(inputs.length > 0 && { image_urls: inputs }),
      ...(hook !== null && { webhook_url: hookUrl(hook, String(number)) }),
    };
    const key = number % 2 === 0 ? `upgrade-${number}` : null;
    const address = next();
    const isCapped = kind.capped === true;
    const answer = await post(address, { wish, key, isCapped });
    if (answer === null) {
      return;
    }
    const { id } = readData<Task>(answer);
    const { images } = kind;
    const body = answer.body.toString();
    const one = toSent({
      wish,
      key,
      hook,
      images,
      id,
      answer: body,
      by: address.release,
      ended: null,
      isCapped,
    });
    sent.push(one);
    if (key !== null) {
      await repeat(one);
    }
    one.ended = await followTask(client, next, id);
    if (one.ended?.output !== undefined) {
      results.push(one.ended.output.url);
    }
  };
  // At the other release where both are up.
  const repeat = async (one: Sent): Promise<void> => {
    const address = addresses.find(({ release }) => release !== one.by) ?? next();
    const answer = await post(address, one);
    if (answer === null) {
      return;
    }
    const way = `${one.by} to ${address.release}`;
    replays[way] = (replays[way] ?? 0) + 1;
    const isReplay = answer.headers['idempotent-replayed'] === 'true';
    if (!isReplay || answer.body.toString() !== one.answer) {
      client.notes.add(REPEATED, `${way}: another answer`, `${answer.body.toString()} for ${one.answer}`);
    }
  };
  // Whatever is bought for it twice is a task that nobody asked for.
  const ask = async (number: number): Promise<void> => {
    const isNew = ({ release }: Address): boolean => release === 'new';
    if (!addresses.some(isNew)) {
      return;
    }
    const nextNew = (): Address => {
      let address = next();
      while (!isNew(address)) {
        address = next();
      }
      return address;
    };
    const wish: Wish = { prompt: `sandbox:fixed sandbox:delay=700 facade ${number}` };
    const answer = await askFacade(client, nextNew, wish.prompt);
    if (answer !== null) {
      facadeAnswers += 1;
      const { taskId: id, by } = answer;
      sent.push(toSent({ wish, id, by, images: 1, ended: null }));
    }
  };
  const list = async (number: number): Promise<void> => {
    await callApi(client, next(), { path: LISTS[(number / LIST_EVERY) % LISTS.length] ?? '' }, 200);
  };
  const track = (work: Promise<void>): void => {
    const done = work
      .catch((error: unknown) => client.notes.add(ANSWERED, 'a client failed', String(error)))
      .finally(() => running.delete(done));
    running.add(done);
  };

  const send = async (): Promise<void> => {
    for (let number = 0; !stopped; number += 1) {
      track(submit(number));
      if (number % FACADE_EVERY === 0) {
        track(ask(number));
      }
      if (number % LIST_EVERY === 0) {
        track(list(number));
      }
      // An old key now and then: the oldest first, so that keys of every step are repeated in every later one.
      const old = sent[Math.floor(number / 3) % Math.max(1, sent.length)];
      if (number % 3 === 0 && old !== undefined && old.key !== null) {
        track(repeat(old));
      }
      await sleep(1_000 / PER_SECOND);
    }
  };
  const sending = send();
  return {
    /** Sends clients to these APIs from now on, in turns. */
    route: (addressesNow: readonly Address[]) => {
      addresses = addressesNow;
    },
    sent,
    replays,
    /** Number of images that the facade answered with. */
    facadeAnswers: () => facadeAnswers,
    /** Sends nothing new, and resolves when every accepted task has ended or was noted as lost. */
    stop: async () => {
      stopped = true;
      await sending;
      await Promise.all(running);
    },
  };
}
