const COST = { '1k': '0.001', '2k': '0.002', '4k': '0.004' };

/** Builds a document in which one instance draws both named models, and Gemini is next. */
function buildDocument(name: string, provider: object, own: readonly object[]): string {
  const routes = [
    ...own.map((route) => ({ provider: name, cost: COST, ...route })),
    { provider: 'gemini', model: 'gemini-3-pro-image', cost: COST },
  ];
  const models = { nanobanana: { routes }, 'nanobanana-pro': { routes } };
  return JSON.stringify({ providers: { [name]: provider }, models });
}

/** Protocols of instances with the settings that hold their keys. */
export const INSTANCE_KEYS = {
  'azure-openai': 'AZURE_OPENAI_KEYS',
  bfl: 'BFL_KEYS',
  dashscope: 'DASHSCOPE_KEYS',
  sdapi: 'SDAPI_KEYS',
  vertex: 'VERTEX_KEYS',
} as const;

/** A protocol whose providers are instances of the catalog. */
export type InstanceName = keyof typeof INSTANCE_KEYS;

const ROUTES: Readonly<Record<InstanceName, readonly object[]>> = {
  vertex: [{ model: 'gemini-3-pro-image' }],
  'azure-openai': [{ model: 'my-deployment' }],
  bfl: [
    { model: 'flux-2-pro', max_inputs: 8 },
    { model: 'flux-2-max', max_inputs: 8 },
  ],
  dashscope: [{ model: 'qwen-image-3.0-pro', max_inputs: 3, max_images_per_call: 4 }],
  sdapi: [
    { model: 'sd_xl_base_1.0', max_inputs: 1, max_images_per_call: 4 },
    { model: 'flux1-dev-Q8_0', max_inputs: 1, max_images_per_call: 4 },
  ],
};

/** Builds a document with an instance of this protocol. */
export function buildInstanceDocument(name: InstanceName, url: string): string {
  const base_url = name === 'vertex' ? `${url}/v1/projects/p/locations/global` : url;
  const { '4k': _none, ...smaller } = COST;
  const cost = name === 'bfl' || name === 'dashscope' ? smaller : COST;
  const provider = { protocol: name, base_url, key_env: INSTANCE_KEYS[name] };
  return buildDocument(
    name,
    provider,
    ROUTES[name].map((route) => ({ cost, ...route })),
  );
}

/** Setting that holds the keys of the task instance. */
export const TASK_KEYS = 'TASK_KEYS';

/** Presets, and an API that is described in the document; each with its folder of the stub. */
export const TASK_FOLDERS = {
  apimart: 'apimart/v1',
  evolink: 'evolink/v1',
  kie: 'kie/api/v1',
  sub2api: 'sub2api/v1',
  'image-gateway': 'gateway/v1',
  described: 'evolink/v1',
} as const;

/** Description of an API that has no preset. */
const DESCRIBED = {
  submit: {
    path: '/images/generations',
    body: {
      model: '{model}',
      prompt: '{prompt}',
      size: '{aspect_ratio}',
      quality: '{RESOLUTION}',
      image_urls: '{inputs}',
    },
    id: '$.id',
  },
  poll: {
    path: '/tasks/{id}',
    status: '$.status',
    running: ['pending', 'processing'],
    done: ['completed'],
    failed: ['failed', 'cancelled'],
    images: '$.results[*]',
    error: '$.error.message',
    code: '$.error.code',
  },
};

/** Builds a document with the instance `task`, a task API. */
export function buildTaskDocument(url: string, preset: keyof typeof TASK_FOLDERS, more: object = {}): string {
  const api = preset === 'described' ? DESCRIBED : { preset };
  const base_url = `${url}/task/${TASK_FOLDERS[preset]}`;
  // Another gateway edits where its routes say so.
  const types = ['image_generate', 'image_edit'];
  return buildDocument('task', { protocol: 'task', ...api, base_url, key_env: TASK_KEYS, ...more }, [
    { model: 'a-model', types },
    { model: 'another-model', types },
  ]);
}

const sampler = {
  class_type: 'KSampler',
  inputs: {
    seed: '{{seed}}',
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
};
const size = { width: '{{width}}', height: '{{height}}' };
const load = (image: string) => ({ class_type: 'LoadImage', inputs: { image } });
const encode = (text: string) => ({ class_type: 'CLIPTextEncode', inputs: { text, clip: ['4', 1] } });

const drawing = {
  3: sampler,
  4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: '{{model}}' } },
  5: { class_type: 'EmptyLatentImage', inputs: { ...size, batch_size: '{{count}}' } },
  6: encode('{{prompt}}'),
  7: encode('{{negative_prompt}}'),
  8: { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
  9: { class_type: 'SaveImage', inputs: { filename_prefix: 'gateway', images: ['8', 0] } },
};
/** Workflow for edits with up to three images; without any it draws. */
export const EDITING_WORKFLOW = {
  ...drawing,
  6: {
    class_type: 'TextEncodeQwenImageEditPlus',
    inputs: {
      clip: ['4', 1],
      prompt: '{{prompt}}',
      vae: ['4', 2],
      image1: ['10', 0],
      image2: ['11', 0],
      image3: ['12', 0],
    },
  },
  10: load('{{image_1}}'),
  11: load('{{image_2}}'),
  12: load('{{image_3}}'),
};

/** Builds a document with the instance `comfyui`, whose keys stand in a setting. */
export function buildComfyuiDocument(base_url: string, key_env: string): string {
  const common = { max_images_per_call: 4 };
  return buildDocument('comfyui', { protocol: 'comfyui', base_url, key_env }, [
    {
      ...common,
      model: 'sd_xl_base_1.0.safetensors',
      types: ['image_generate'],
      options: { workflow: drawing },
    },
    {
      ...common,
      model: 'qwen_image_edit.safetensors',
      types: ['image_edit'],
      max_inputs: 3,
      options: { workflow: EDITING_WORKFLOW },
    },
  ]);
}
