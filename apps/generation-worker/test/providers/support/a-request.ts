import type { InputImage, ProviderRequest } from '../../../src/providers/port.js';

/** A plain request for one image, with what a test changes about it. */
export function aRequest(changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    taskId: 'gen_0000000000000000000000',
    callId: 'call-1',
    model: 'a-model',
    key: { fingerprint: 'test', secret: 'TEST_KEY' },
    prompt: 'A red fox',
    negativePrompt: null,
    aspectRatio: '16:9',
    resolution: '1k',
    takesResolution: true,
    fields: {},
    options: {},
    slots: [0],
    inputs: [],
    earlierCalls: 0,
    job: null,
    ...changes,
  };
}

/** An input image out of a fixture's base64; its size is not looked at. */
export function buildInput(base64: string, contentType: InputImage['contentType'] = 'image/png'): InputImage {
  return { bytes: Buffer.from(base64, 'base64'), contentType, width: 32, height: 32 };
}
