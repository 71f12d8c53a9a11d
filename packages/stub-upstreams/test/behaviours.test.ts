import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type StubUpstreams, startStubUpstreams } from '../src/index.js';
import { submit } from './support/requests.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
beforeEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const put = (body: object) =>
  fetch(`${stub.url}/__stub/behaviour`, { method: 'PUT', body: JSON.stringify(body) });

describe('a behaviour', () => {
  test('a behaviour is for the keys, the prompts and the number of calls that it names', async () => {
    stub.behave('gemini', [
      { mode: 'auth', keys: ['stub-gemini-2'] },
      { mode: 'overload', prompt: 'fox', times: 1 },
    ]);
    const statuses: number[] = [];
    for (const init of [{ key: 'stub-gemini-2' }, { prompt: 'a hare' }, {}, {}]) {
      statuses.push((await submit(stub.url, 'gemini', init)).status);
    }
    expect(statuses).toEqual([400, 200, 503, 200]);
  });

  test('a behaviour for a share of the calls comes that often, and in the same order for the same seed', async () => {
    const mix = [
      { mode: 'overload', percent: 20 },
      { mode: 'moderation', percent: 10 },
      // The rest of the calls: this test needs no images, so the stub draws none.
      { mode: 'no-image' },
    ] as const;
    const run = async (seed: number) => {
      stub.behave('openrouter', mix, { seed });
      const modes: string[] = [];
      for (let call = 0; call < 200; call += 1) {
        await submit(stub.url, 'openrouter');
        modes.push(stub.calls().at(-1)?.mode ?? '');
      }
      return modes;
    };
    const first = await run(7);
    const share = (mode: string) => first.filter((one) => one === mode).length / first.length;
    expect(share('overload')).toBeGreaterThan(0.12);
    expect(share('overload')).toBeLessThan(0.28);
    expect(share('moderation')).toBeGreaterThan(0.04);
    expect(share('moderation')).toBeLessThan(0.16);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
  });

  test('a behaviour of a job is decided when it is submitted: it is lost, or its image is gone', async () => {
    stub.behave('fal', [{ mode: 'job-lost', times: 1 }, { mode: 'output-gone' }]);
    const headers = { authorization: 'Key stub-fal-1' };
    const jobs = [await submit(stub.url, 'fal'), await submit(stub.url, 'fal')];
    const [lost, gone] = (await Promise.all(jobs.map((job) => job.json()))) as { response_url: string }[];
    expect((await fetch(lost?.response_url ?? '', { headers })).status).toBe(404);
    let result = await fetch(gone?.response_url ?? '', { headers });
    while (result.status === 400) {
      result = await fetch(gone?.response_url ?? '', { headers });
    }
    const { images } = (await result.json()) as { images: { url: string }[] };
    expect((await fetch(images[0]?.url ?? '')).status).toBe(404);
  });

  test('a behaviour of the way to a job can begin when it is under way: it is forgotten, or its image is broken', async () => {
    const headers = { authorization: 'Bearer stub-replicate-1' };
    const job = await submit(stub.url, 'replicate');
    const { urls } = (await job.json()) as { urls: { get: string } };
    stub.behave('replicate', [
      { mode: 'job-lost', on: ['poll'], times: 1 },
      { mode: 'output-gone', on: ['download'], times: 1 },
    ]);
    expect((await fetch(urls.get, { headers })).status).toBe(404);
    const output = await eventually(async () => {
      const prediction = (await (await fetch(urls.get, { headers })).json()) as { output: string | null };
      if (prediction.output === null) {
        throw new Error('not yet');
      }
      return prediction.output;
    });
    expect((await fetch(output)).status).toBe(404);
    expect((await fetch(output)).status).toBe(200);
  });

  test('a behaviour of a job is not for another key, which does not know the job', async () => {
    const { urls } = (await (await submit(stub.url, 'replicate')).json()) as { urls: { get: string } };
    const statusFor = async (key: string) =>
      (await fetch(urls.get, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await statusFor('stub-replicate-1')).toBe(200);
    expect(await statusFor('stub-replicate-2')).toBe(404);
    expect(await statusFor('wrong')).toBe(401);
  });

  test('a behaviour that makes no sense is refused', () => {
    expect(() => stub.behave('gemini', 'endless-job')).toThrow('has no jobs');
    expect(() => stub.behave('gemini', 'nonsense' as 'ok')).toThrow('no such mode');
  });
});

describe('over HTTP', () => {
  test('behaviours are set for one provider at a time and taken back for all', async () => {
    expect((await put({ fal: { mode: 'billing' }, openai: [{ mode: 'hang', times: 0 }] })).status).toBe(200);
    expect((await submit(stub.url, 'fal')).status).toBe(403);
    await fetch(`${stub.url}/__stub/behaviour`, { method: 'DELETE' });
    expect((await submit(stub.url, 'fal')).status).toBe(200);
  });

  test('nonsense is refused with what there is', async () => {
    const answer = await put({ bing: { mode: 'ok' } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('replicate');
  });

  test('the calls can be read, and prompts that came twice stand out', async () => {
    await submit(stub.url, 'fal', { prompt: 'once' });
    await submit(stub.url, 'fal', { prompt: 'twice' });
    await submit(stub.url, 'openai', { prompt: 'twice' });
    await eventually(() => expect(stub.billed()).toEqual({ once: 1, twice: 2 }));
    const answer = await fetch(`${stub.url}/__stub/calls?provider=fal`);
    expect(await answer.json()).toMatchObject({
      total: 2,
      duplicates: { twice: 2 },
      prompts: { once: 1, twice: 2 },
      billed: { once: 1, twice: 2 },
      calls: [{ prompt: 'once' }, { prompt: 'twice' }],
    });
    expect(stub.duplicates()).toEqual({ twice: 2 });
  });
});
