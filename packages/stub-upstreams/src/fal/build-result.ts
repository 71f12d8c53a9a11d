import { checkFields } from '../core/check-fields.js';
import type { Job } from '../core/create-jobs.js';
import type { StubContext } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import type { ImageFormat } from '../images/draw-image.js';
import { getGoogleSize } from '../images/get-google-size.js';
import { FAL_APPS } from './apps.js';
import { falModelError, falViolation } from './fal-errors.js';

/** Parts that a result is built from. */
interface FalResultParts {
  readonly context: StubContext;
  readonly origin: string;
  /** Seconds that its images are kept. */
  readonly lifetime: number;
}

/** Builds the result of a job: its images, or the model's objection to the request. Bills the images. */
export async function buildResult(
  { input, model, behaviour }: Job,
  { context, origin, lifetime }: FalResultParts,
): Promise<StubResponse> {
  const fields = FAL_APPS[model] ?? {};
  const [violation] = checkFields(input, fields);
  if (violation !== undefined) {
    return falViolation(violation);
  }
  const urls = [input.image_urls, input.image_url].flat().filter((url) => typeof url === 'string');
  const inputs = await Promise.all(urls.map((url) => describeInput(url)));
  context.noteInputs(inputs.map(({ digest }) => digest));
  const unreadable = inputs.findIndex(({ readable }) => !readable);
  if (unreadable !== -1) {
    return falModelError('image_load_error', 'Failed to load the image.', ['body', 'image_urls', unreadable]);
  }
  if (behaviour.mode === 'invalid-input') {
    return falModelError(
      'image_too_large',
      'The image dimensions are too large.',
      ['body', 'image_urls', 0],
      {
        ctx: { max_height: 8192, max_width: 8192 },
      },
    );
  }
  if (behaviour.mode === 'moderation') {
    return falModelError(
      'content_policy_violation',
      'The content could not be processed because it contained material flagged by a content checker.',
      ['body', 'prompt'],
    );
  }
  if (behaviour.mode === 'no-image') {
    return falModelError(
      'no_media_generated',
      'No media was generated. Please try again with a different prompt.',
      ['body', 'prompt'],
    );
  }
  const asked = Number(input.num_images ?? 1);
  const made = behaviour.mode === 'fewer-images' ? Math.max(0, behaviour.images ?? asked - 1) : asked;
  context.bill(made);
  const format = String(input.output_format ?? 'png') as ImageFormat;
  const { width, height } = toRecord(input.image_size);
  const size =
    width === undefined
      ? getGoogleSize(input.aspect_ratio, input.resolution)
      : { width: Number(width), height: Number(height) };
  const order = { ...size, format };
  const images = await Promise.all(
    Array.from({ length: made }, async () => ({
      url: await buildImageUrl(),
      content_type: `image/${format}`,
      file_name: `output.${format}`,
      file_size: null,
      ...context.images.getSize(order, behaviour),
    })),
  );
  return {
    status: 200,
    headers: { 'x-fal-billable-units': String(made) },
    body: { images, description: '' },
  };

  async function buildImageUrl(): Promise<string> {
    if (behaviour.mode === 'invalid-base64') {
      return `data:image/${format};base64,*** no base64 ***`;
    }
    if (input.sync_mode !== true) {
      return `${origin}${context.images.keep('fal', order, behaviour, lifetime)}`;
    }
    const bytes = await context.images.make(order, behaviour);
    return `data:image/${format};base64,${bytes.toString('base64')}`;
  }
}
