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

/** Builds a document in which the instance `comfyui` draws both named models, and Gemini is next. */
export function buildComfyuiDocument({
  url,
  keyEnv,
}: {
  readonly url: string;
  readonly keyEnv: string;
}): string {
  const cost = { '1k': '0.001', '2k': '0.002', '4k': '0.004' };
  const common = { provider: 'comfyui', cost, max_images_per_call: 4 };
  const routes = [
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
    { provider: 'gemini', model: 'gemini-3-pro-image', cost },
  ];
  return JSON.stringify({
    providers: { comfyui: { protocol: 'comfyui', base_url: url, key_env: keyEnv } },
    models: { nanobanana: { routes }, 'nanobanana-pro': { routes } },
  });
}
