/** Formats that the gateway accepts and delivers. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** Image whose bytes have been decoded once to the last row. */
export interface Image {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly extension: 'png' | 'jpg' | 'webp';
  readonly width: number;
  readonly height: number;
}

/** Content type and file extension of a format. */
export const NAMES = {
  png: { contentType: 'image/png', extension: 'png' },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  webp: { contentType: 'image/webp', extension: 'webp' },
} as const;
