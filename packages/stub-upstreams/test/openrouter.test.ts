import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { OpenRouter } from '@openrouter/sdk';
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

const model = 'google/gemini-nano-banana-2.1';
const createClient = (apiKey: string) =>
  new OpenRouter({ apiKey, serverURL: `${stub.url}/api/v1`, retryConfig: { strategy: 'none' } });

describe("OpenRouter's own client", () => {
  test("OpenRouter's own client gets an image of the shape it asked for, and what it cost", async () => {
    const answer = await createClient('stub-openrouter-1').images.generate({
      imageGenerationRequest: {
        model,
        prompt: 'a red fox',
        n: 1,
        aspectRatio: '16:9',
        resolution: '2K',
        outputFormat: 'png',
      },
    });
    if (!('data' in answer)) {
      throw new Error('a stream was not asked for');
    }
    const bytes = Buffer.from(answer.data[0]?.b64Json ?? '', 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', height: 96 });
    expect(answer.usage?.cost).toBe(0.0504);
    expect(stub.calls()).toMatchObject([{ kind: 'submit', prompt: 'a red fox', billed: 1 }]);
  });

  test('edits an image that it sends as a data URL', async () => {
    const input = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const url = `data:image/png;base64,${input.toString('base64')}`;
    await createClient('stub-openrouter-1').images.generate({
      imageGenerationRequest: {
        model,
        prompt: 'night',
        inputReferences: [{ type: 'image_url', imageUrl: { url } }],
      },
    });
    expect(stub.calls()[0]?.inputs).toHaveLength(1);
  });

  test("OpenRouter's own client is told that the provider is rate limited", async () => {
    stub.behave('openrouter', { mode: 'rate-limit', retryAfterS: 8 });
    const refused = createClient('stub-openrouter-1').images.generate({
      imageGenerationRequest: { model, prompt: 'x' },
    });
    await expect(refused).rejects.toMatchObject({ statusCode: 429 });
  });

  test("OpenRouter's own client reads its key, and is refused with one that is not good", async () => {
    const { data } = await createClient('stub-openrouter-1').apiKeys.getCurrentKeyMetadata();
    expect(data.isFreeTier).toBe(false);
    await expect(createClient('wrong').apiKeys.getCurrentKeyMetadata()).rejects.toMatchObject({
      statusCode: 401,
    });
  });
});
