import { LIMITS } from '@image-gateway/shared/contract';
import { invalidField, tooManyImages } from '../../file/uploads/field-error.js';
import { type FormPlan, type FormValues, receiveForm } from '../../file/uploads/receive-form.js';
import type { RequestSpool } from '../../file/uploads/spool-upload.js';
import type { GivenImages } from '../../file/uploads/store-inputs.js';
import type { KeyCall } from '../../http/framework/call.js';

/** The images and a mask. */
const MAX_FILES = LIMITS.inputImages + 1;
/** Most bytes that the files of a form have. */
export const MAX_FORM_BYTES = MAX_FILES * LIMITS.inputImageBytes;

/** Names under which clients send images: one or several, repeated or not. */
const IMAGE_FIELD = /^images?(?:\[\d*\])?$/;

/** Receives a form with images and a mask. Throws AppError, and then leaves the rest of the body to who reads it. */
export async function receiveImageForm(
  call: KeyCall,
  spool: RequestSpool,
  judge: FormPlan['judge'],
): Promise<GivenImages & { readonly values: FormValues }> {
  let [images, masks] = [0, 0];
  const nameFile: FormPlan['nameFile'] = (name) => {
    if (name === 'mask') {
      masks += 1;
      if (masks > 1) {
        throw invalidField(name, 'mask must be one image.');
      }
      return { field: name, place: name };
    }
    if (!IMAGE_FIELD.test(name)) {
      return null;
    }
    if (images === LIMITS.inputImages) {
      throw tooManyImages('image');
    }
    images += 1;
    return { field: 'image', place: `image[${images - 1}]` };
  };
  const tooManyFiles = () => tooManyImages('image');
  const { values, files } = await receiveForm(call, spool, {
    maxFiles: MAX_FILES,
    nameFile,
    tooManyFiles,
    judge,
  });
  const mask = files.find(({ field }) => field === 'mask')?.image;
  const given = files.filter(({ field }) => field === 'image').map(({ image }) => image);
  return { values, images: given, ...(mask && { mask }) };
}
