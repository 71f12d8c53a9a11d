import type { StubProvider } from '../../src/index.js';

/** A good request for one image in each protocol. */
export const REQUESTS: Readonly<
  Record<
    StubProvider,
    { path: string; headers: (key: string) => Record<string, string>; body: (prompt: string) => object }
  >
> = {
  gemini: {
    path: '/v1beta/models/gemini-nano-banana-2.1:generateContent',
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  fal: {
    path: '/fal-ai/nano-banana',
    headers: (key) => ({ authorization: `Key ${key}` }),
    body: (prompt) => ({ prompt }),
  },
  replicate: {
    path: '/v1/models/google/nano-banana/predictions',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ input: { prompt } }),
  },
  openai: {
    path: '/v1/images/generations',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ model: 'gpt-image-2', prompt }),
  },
  openrouter: {
    path: '/api/v1/images',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ model: 'google/gemini-nano-banana-2.1', prompt }),
  },
  vertex: {
    path: '/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro-image:generateContent',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  'azure-openai': {
    path: '/openai/deployments/my-deployment/images/generations?api-version=2025-04-01-preview',
    headers: (key) => ({ 'api-key': key }),
    body: (prompt) => ({ prompt }),
  },
  bfl: {
    path: '/v1/flux-2-pro',
    headers: (key) => ({ 'x-key': key }),
    body: (prompt) => ({ prompt, width: 1_024, height: 768 }),
  },
  dashscope: {
    path: '/api/v1/services/aigc/multimodal-generation/generation',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({
      model: 'qwen-image-2.0',
      input: { messages: [{ role: 'user', content: [{ text: prompt }] }] },
      parameters: { size: '1024*768' },
    }),
  },
  sdapi: {
    path: '/sdapi/v1/txt2img',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ prompt, width: 512, height: 512 }),
  },
  comfyui: {
    path: '/prompt',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (prompt) => ({ prompt: buildWorkflow(prompt) }),
  },
  task: {
    path: '/task/evolink/v1/images/generations',
    headers: (key: string) => ({ authorization: `Bearer ${key}` }),
    body: (prompt: string) => ({ model: 'nano-banana-2-lite', prompt, size: '16:9', quality: '1K' }),
  },
};

/** Builds a workflow that draws one image. */
export function buildWorkflow(text: string) {
  return {
    '3': {
      class_type: 'KSampler',
      inputs: {
        seed: 42,
        steps: 20,
        cfg: 4,
        sampler_name: 'euler',
        scheduler: 'normal',
        denoise: 1,
        model: ['4', 0],
        positive: ['6', 0],
        negative: ['7', 0],
        latent_image: ['5', 0],
      },
    },
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'sd_xl_base_1.0.safetensors' } },
    '5': { class_type: 'EmptyLatentImage', inputs: { width: 1344, height: 768, batch_size: 1 } },
    '6': { class_type: 'CLIPTextEncode', inputs: { text, clip: ['4', 1] } },
    '7': { class_type: 'CLIPTextEncode', inputs: { text: '', clip: ['4', 1] } },
    '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
    '9': { class_type: 'SaveImage', inputs: { filename_prefix: 'gateway', images: ['8', 0] } },
  };
}

/** Sends that request. */
export function submit(
  url: string,
  provider: StubProvider,
  {
    key = `stub-${provider}-1`,
    prompt = 'a red fox',
    ...init
  }: { key?: string; prompt?: string } & RequestInit = {},
): Promise<Response> {
  const { path, headers, body } = REQUESTS[provider];
  return fetch(`${url}${path}`, {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers(key) },
    body: JSON.stringify(body(prompt)),
    redirect: 'manual',
  });
}
