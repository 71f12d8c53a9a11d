import { ApiError, GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type StubUpstreams, startStubUpstreams } from '../src/index.js';

let stub: StubUpstreams;
const { fetch: plainFetch } = globalThis;
beforeAll(async () => {
  stub = await startStubUpstreams();
  // The client asks for Node's dispatcher by a global name that the globals of a test do not have.
  globalThis.fetch = (input, init) => {
    const { dispatcher: _, ...rest } = { dispatcher: undefined, ...init };
    return plainFetch(input, rest);
  };
});
beforeEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => {
  globalThis.fetch = plainFetch;
  return stub.close();
});

// The version that the gateway calls; the client would take v1.
const createClient = (apiKey: string) =>
  new GoogleGenAI({ apiKey, apiVersion: 'v1beta', httpOptions: { baseUrl: stub.url } });
const imageConfig = { aspectRatio: '16:9', imageSize: '2K' };
const config = { candidateCount: 1, responseModalities: ['IMAGE'], imageConfig };

describe("Google's own client", () => {
  test("Google's own client gets an image of the shape it asked for", async () => {
    const answer = await createClient('stub-gemini-1').models.generateContent({
      model: 'gemini-nano-banana-2.1',
      contents: 'a red fox',
      config: { ...config, seed: 7 },
    });
    const bytes = Buffer.from(answer.candidates?.[0]?.content?.parts?.[0]?.inlineData?.data ?? '', 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', height: 96 });
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
    expect(stub.calls()).toMatchObject([
      { provider: 'gemini', kind: 'submit', key: 'stub-gemini-1', prompt: 'a red fox', asked: 1, billed: 1 },
    ]);
  });

  test('edits an image that it sends along', async () => {
    const input = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const answer = await createClient('stub-gemini-2').models.generateContent({
      model: 'gemini-3-pro-image',
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'make it night' },
            { inlineData: { mimeType: 'image/png', data: input.toString('base64') } },
          ],
        },
      ],
      config,
    });
    expect(answer.candidates?.[0]?.content?.parts?.[0]?.inlineData?.mimeType).toBe('image/jpeg');
    expect(stub.calls()[0]?.inputs).toHaveLength(1);
  });

  test("Google's own client is refused with a key that is not good, with 400 as by Google", async () => {
    const refused = createClient('wrong').models.generateContent({
      model: 'gemini-3-pro-image',
      contents: 'x',
      config,
    });
    await expect(refused).rejects.toThrow(ApiError);
    await expect(refused).rejects.toMatchObject({ status: 400 });
    await expect(refused).rejects.toThrow('API_KEY_INVALID');
  });

  test("Google's own client lists the models, a page at a time", async () => {
    const { models } = createClient('stub-gemini-1');
    const names: (string | undefined)[] = [];
    for await (const model of await models.list({ config: { pageSize: 3 } })) {
      names.push(model.name);
    }
    expect(names).toContain('models/gemini-nano-banana-2.1');
    expect(names).toHaveLength(4);
    expect(stub.calls({ kind: 'check' })).toHaveLength(2);
  });
});
