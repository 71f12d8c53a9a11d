import { NATIVE_SIZES } from '@image-gateway/shared/contract';
import { computeSize, parseSize } from '../compute-size.js';
import { drawWhiteMask } from '../draw-white-mask.js';
import { foldPrompt, toBase64 } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';

/** Request of `/sdapi/v1`; its body contains images as `Embedded`. */
export interface SdapiRequest {
  readonly path: '/txt2img' | '/img2img';
  readonly body: JsonRecord;
}

/** Builds the request. Options of the route are fields of the body, such as `steps`, `sampler_name` and `denoising_strength`. */
export async function buildRequest(request: ProviderRequest): Promise<SdapiRequest> {
  const { inputs, fields, slots, options } = request;
  const [first] = inputs;
  const size = request.size ?? computeSize(NATIVE_SIZES, request).join('x');
  const body = mergeFields({
    defaults: {
      // Loading another checkpoint takes long: it stays until a request names another one.
      override_settings: { sd_model_checkpoint: chooseModel(request) },
      override_settings_restore_afterwards: false,
      ...(first && { denoising_strength: 0.75, resize_mode: 1, include_init_images: false }),
      // -1: a seed of the server's own.
      seed: fields.seed ?? -1,
    },
    options,
    asked: { ...parseSize(size), n_iter: slots.length, batch_size: 1 },
    content: {
      prompt: foldPrompt(request),
      negative_prompt: fields.negativePrompt,
      init_images: first && [toBase64(first.bytes)],
      // White is drawn anew.
      mask: fields.mask && toBase64((await drawWhiteMask(fields.mask)).bytes),
      send_images: true,
      // Otherwise the answer may begin with a grid of all images.
      save_images: false,
    },
  });
  return { path: first ? '/img2img' : '/txt2img', body };
}
