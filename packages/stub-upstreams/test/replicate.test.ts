import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import Replicate from 'replicate';
import sharp from 'sharp';
import { type StubUpstreams, startStubUpstreams } from '../src/index.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
beforeEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const createClient = (auth: string) =>
  new Replicate({ auth, baseUrl: `${stub.url}/v1`, useFileOutput: false });
const red = () =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();

describe("Replicate's own client", () => {
  test("Replicate's own client gets the address of an image of the shape it asked for", async () => {
    stub.behave('replicate', { mode: 'ok', jobMs: 200 });
    const output = await createClient('stub-replicate-1').run('google/nano-banana-pro', {
      input: { prompt: 'a red fox', aspect_ratio: '9:16', resolution: '2K', output_format: 'png' },
      wait: { mode: 'poll', interval: 50 },
    });
    const bytes = Buffer.from(await (await fetch(String(output))).arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 96 });
    expect(stub.calls({ kind: 'submit' })).toMatchObject([
      { model: 'google/nano-banana-pro', prompt: 'a red fox', billed: 1, status: 201 },
    ]);
    expect(stub.calls({ kind: 'poll' }).length).toBeGreaterThan(0);
    expect(stub.calls({ kind: 'download' })).toMatchObject([{ key: null, status: 200 }]);
  });

  test('edits images, one as a data URL and one that it puts there first', async () => {
    const input = await red();
    await createClient('stub-replicate-1').run('google/nano-banana', {
      input: {
        prompt: 'night',
        image_input: [`data:image/png;base64,${input.toString('base64')}`, new Blob([new Uint8Array(input)])],
      },
    });
    const [call] = stub.calls({ kind: 'submit' });
    expect(call?.inputs).toHaveLength(2);
    expect(call?.inputs[0]).toBe(call?.inputs[1]);
  });

  test("Replicate's own client learns from the prediction that the content was refused", async () => {
    stub.behave('replicate', 'moderation');
    const refused = createClient('stub-replicate-1').run('google/nano-banana', { input: { prompt: 'x' } });
    await expect(refused).rejects.toThrow('(E005)');
    expect(stub.calls({ kind: 'submit' })[0]?.billed).toBe(0);
  });

  test("Replicate's own client is told which field of the input is not known", async () => {
    const refused = createClient('stub-replicate-1').run('google/nano-banana', {
      input: { prompt: 'x', negative_prompt: 'text' },
    });
    await expect(refused).rejects.toThrow('input.negative_prompt');
  });

  test("Replicate's own client can stop a prediction", async () => {
    stub.behave('replicate', 'endless-job');
    const { predictions } = createClient('stub-replicate-1');
    const { id } = await predictions.create({ model: 'google/nano-banana', input: { prompt: 'x' } });
    expect(await predictions.cancel(id)).toMatchObject({ status: 'canceled' });
    expect(await predictions.get(id)).toMatchObject({ status: 'canceled', output: null });
  });

  test("Replicate's own client is refused with a key that is not good", async () => {
    await expect(createClient('wrong').accounts.current()).rejects.toThrow('401');
    expect(await createClient('stub-replicate-2').accounts.current()).toMatchObject({ type: 'organization' });
  });
});
