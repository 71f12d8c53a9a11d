import { LIMITS } from '@image-gateway/shared/contract';
import type { PublicFile } from '@image-gateway/shared/file/schema';
import { request, requestBlob } from '../../api/request.js';

/** Types of files that are offered to pick. */
export const IMAGE_TYPES = 'image/png,image/jpeg,image/webp';

/** Uploads an image, and returns what names it in requests and where this page can show it. Throws ApiError. */
export async function uploadImage(file: File): Promise<{ readonly entry: string; readonly preview: string }> {
  const type = file.type.startsWith('image/') ? file.type : 'image/png';
  const { id } = await request<PublicFile>('/files', { file: file.slice(0, file.size, type) });
  return { entry: id, preview: `/dashboard/api/files/${id}` };
}

/** Lists the files of a drop or a paste. */
export function listImageFiles(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])];
}

/** Says why a file cannot be an input image, by its type and size; null for one that may. The API looks at its content. */
export function findFileFault({ name, type, size }: File): string | null {
  if (type !== '' && !IMAGE_TYPES.split(',').includes(type)) {
    return `${name} is left out: it is not a PNG, JPEG or WebP image.`;
  }
  if (size === 0 || size > LIMITS.inputImageBytes) {
    return `${name} is left out: an image has at most ${LIMITS.inputImageBytes / 2 ** 20} MiB, and is not empty.`;
  }
  return null;
}

/** Reads the mask of a task as a data URL; null when it is no longer kept, or cannot be reached. */
export async function readMask(taskId: string): Promise<string | null> {
  const blob = await requestBlob(`/tasks/${taskId}/mask`);
  if (!blob) {
    return null;
  }
  // Whatever it says it is: the API looks at the bytes.
  const mask = new Blob([blob], { type: 'image/png' });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the mask cannot be read'));
    reader.readAsDataURL(mask);
  });
}
