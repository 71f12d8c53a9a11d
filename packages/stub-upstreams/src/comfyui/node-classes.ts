/** Kind of an input: a value, or `link` to the output of another node. */
export type InputKind = 'text' | 'integer' | 'number' | 'link' | 'checkpoint' | 'upload';

/** Class of nodes: its inputs, as the server's own nodes have them. */
export interface NodeClass {
  readonly required: Readonly<Record<string, InputKind>>;
  readonly optional?: Readonly<Record<string, InputKind>>;
  /** True for a node whose result is an output of the workflow. */
  readonly isOutput?: boolean;
}

/** Files in the folder of checkpoints. */
export const CHECKPOINTS: readonly string[] = ['sd_xl_base_1.0.safetensors', 'qwen_image_edit.safetensors'];

const latent = { width: 'integer', height: 'integer', batch_size: 'integer' } as const;
const save = { required: { images: 'link', filename_prefix: 'text' }, isOutput: true } as const;

/** Classes that the stub has installed. */
export const NODE_CLASSES: Readonly<Record<string, NodeClass>> = {
  CheckpointLoaderSimple: { required: { ckpt_name: 'checkpoint' } },
  EmptyLatentImage: { required: latent },
  EmptySD3LatentImage: { required: latent },
  CLIPTextEncode: { required: { text: 'text', clip: 'link' } },
  TextEncodeQwenImageEditPlus: {
    required: { clip: 'link', prompt: 'text' },
    optional: { vae: 'link', image1: 'link', image2: 'link', image3: 'link' },
  },
  KSampler: {
    required: {
      seed: 'integer',
      steps: 'integer',
      cfg: 'number',
      sampler_name: 'text',
      scheduler: 'text',
      denoise: 'number',
      model: 'link',
      positive: 'link',
      negative: 'link',
      latent_image: 'link',
    },
  },
  VAEDecode: { required: { samples: 'link', vae: 'link' } },
  VAEEncode: { required: { pixels: 'link', vae: 'link' } },
  LoadImage: { required: { image: 'upload' } },
  ImageScale: {
    required: { image: 'link', upscale_method: 'text', width: 'integer', height: 'integer', crop: 'text' },
  },
  SaveImage: save,
  PreviewImage: { required: { images: 'link' }, isOutput: true },
};
