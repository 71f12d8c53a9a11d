import { ok, type StubResponse, toList, toRecord } from '../core/call.js';
import { repeatAsync, type StubContext } from '../core/create-context.js';
import {
  anything,
  between,
  checkFields,
  decimal,
  fields,
  flag,
  list,
  must,
  text,
  whole,
} from '../core/fields.js';
import type { StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';

const CHECKPOINTS = ['sd_xl_base_1.0', 'flux1-dev-Q8_0'];
// modules/api/models.py of AUTOMATIC1111, as far as a gateway sends them.
const DRAWING = fields(
  [text, 'prompt negative_prompt sampler_name scheduler'],
  [whole, 'seed'],
  [between(64, Number.POSITIVE_INFINITY), 'width height'],
  [between(1, 150), 'steps'],
  [decimal, 'cfg_scale denoising_strength'],
  [between(1, Number.POSITIVE_INFINITY), 'batch_size n_iter'],
  [flag, 'send_images save_images override_settings_restore_afterwards'],
  [anything, 'override_settings'],
);
const EDITING = {
  ...DRAWING,
  ...fields(
    [must(list(text, 1)), 'init_images'],
    [text, 'mask'],
    [whole, 'mask_blur inpainting_fill'],
    [between(0, 3), 'resize_mode'],
    [flag, 'include_init_images'],
  ),
};

/** The API of Stable Diffusion web UIs; only the proxy in front of one has limits, prices and regions. */
export const sdapiProtocol: StubProtocol = {
  name: 'sdapi',
  readKey: ({ authorization = '' }) => {
    const [, scheme, value = ''] = /^(Bearer|Basic) (.+)$/.exec(authorization) ?? [];
    return scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : value;
  },
  routes: [
    {
      at: /^GET \/sdapi\/v1\/sd-models$/,
      kind: 'check',
      answer: () => ok(CHECKPOINTS.map((model_name) => ({ title: `${model_name}.safetensors`, model_name }))),
    },
    {
      at: /^POST \/sdapi\/v1\/(txt2img|img2img)$/,
      kind: 'submit',
      read: ({ prompt, n_iter: asked, override_settings: settings }) => ({
        prompt,
        asked,
        model: toRecord(settings).sd_model_checkpoint,
      }),
      answer: draw,
    },
  ],
  replies: readReplies('sdapi'),
};

async function draw(context: StubContext): Promise<StubResponse> {
  const { call, request, mode } = context;
  const faults = checkFields(call.body, request.path.endsWith('/img2img') ? EDITING : DRAWING);
  if (faults.length > 0) {
    // The answer of FastAPI to invalid fields.
    const detail = faults.map(({ path, fault }) => ({
      loc: ['body', ...path],
      msg: fault === 'missing' ? 'field required' : 'value is not valid',
      type: fault === 'missing' ? 'value_error.missing' : `type_error.${fault}`,
    }));
    return context.reply('invalid', { detail });
  }
  const { init_images: given, width, height, seed = -1 } = toRecord(call.body);
  const inputs = toList(given).map((input) => Buffer.from(String(input), 'base64'));
  if ((await context.readInputs(inputs)) !== null) {
    return context.reply('invalid-input');
  }
  if (mode === 'moderation') {
    return context.reply('moderation');
  }
  const order = { width: Number(width), height: Number(height), format: 'png' } as const;
  const images = await repeatAsync(context.bill(call.asked), () => context.encode(order));
  const first = seed === -1 ? 1_234 : Number(seed);
  const all_seeds = images.map((_, index) => first + index);
  const info = { all_seeds, sd_model_name: call.model, index_of_first_image: 0 };
  return ok({ images, parameters: {}, info: JSON.stringify(info) });
}
