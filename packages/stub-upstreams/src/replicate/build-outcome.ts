import type { Job } from '../core/create-jobs.js';
import type { StubContext } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { describeInput } from '../images/describe-input.js';
import { getGoogleSize } from '../images/get-google-size.js';

/** How a prediction has ended: the fields of it that say so, as the body. Bills the image. */
export async function buildOutcome(
  { input, model, behaviour }: Job,
  context: StubContext,
  origin: string,
): Promise<StubResponse> {
  const given = (Array.isArray(input.image_input) ? input.image_input : []).map(String);
  const inputs = await Promise.all(given.map((url) => describeInput(context.uploads.get(url)?.bytes ?? url)));
  context.noteInputs(inputs.map(({ digest }) => digest));
  if (behaviour.mode === 'invalid-input' || inputs.some(({ readable }) => !readable)) {
    return failed('The input was invalid. Please check your input parameters. (E006)');
  }
  if (behaviour.mode === 'moderation') {
    return failed(
      'The input or output was flagged as sensitive. Please try again with different inputs. (E005) (uIJ6l3ruRD)',
    );
  }
  if (behaviour.mode === 'no-image' || behaviour.mode === 'fewer-images') {
    return failed('Failed to generate image. The model returned no image data.');
  }
  context.bill(1);
  if (behaviour.mode === 'invalid-base64') {
    return succeeded('data:image/png;base64,*** no base64 ***');
  }
  // The default of the pro model is 2K, as its page says.
  const resolution = input.resolution ?? (model === 'google/nano-banana-pro' ? '2K' : '1K');
  const size = getGoogleSize(input.aspect_ratio, resolution);
  const format = input.output_format === 'png' ? 'png' : 'jpeg';
  return succeeded(`${origin}${context.images.keep('replicate', { ...size, format }, behaviour)}`);
}

function failed(error: string): StubResponse {
  return { status: 200, body: { status: 'failed', error } };
}

function succeeded(output: string): StubResponse {
  return { status: 200, body: { status: 'succeeded', output } };
}
