import type { ImageFormat } from '../images/draw-image.js';

/** Properties of a model in the stub. */
export interface GeminiModel {
  readonly displayName: string;
  /** True if `imageSize` is allowed. */
  readonly sizes: boolean;
  /** True if `thinkingConfig` is allowed. */
  readonly thinks: boolean;
  readonly format: ImageFormat;
}

/** The models for images of November 2026. */
export const GEMINI_MODELS: Readonly<Record<string, GeminiModel>> = {
  'gemini-nano-banana-2.1': { displayName: 'Nano Banana 2.1', sizes: true, thinks: true, format: 'jpeg' },
  'gemini-3.1-flash-lite-image': {
    displayName: 'Nano Banana 2 Lite',
    sizes: false,
    thinks: true,
    format: 'jpeg',
  },
  'gemini-2.5-flash-image': { displayName: 'Nano Banana', sizes: false, thinks: false, format: 'png' },
  'gemini-3-pro-image': { displayName: 'Nano Banana Pro', sizes: true, thinks: true, format: 'jpeg' },
};
