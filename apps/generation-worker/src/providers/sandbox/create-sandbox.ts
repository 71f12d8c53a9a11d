import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { AspectRatio } from '@image-gateway/shared/contract';
import { ProviderError } from '../failures.js';
import type { ImageProvider, ProviderRequest } from '../port.js';
import type { SaidFacts } from '../upstream-text.js';
import { renderImage } from './render-image.js';

const PNG_64_BY_36 =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAkBAMAAADLIiGhAAAAMFBMVEUVOEofb4v/6LAYTmQeaoYWP1IbWXEdZH5XjZR2npnKzKg3fI+2waT45K+bsqDp3KyB' +
  '4b1pAAAACXBIWXMAAAsTAAALEwEAmpwYAAAA10lEQVQ4y2MQJAAYBq2Cznez8SroUlLSfYhHgcQlJSUlLTwK9iqBwEHcCg6BFWjgVCB9CaxAB6cCCbC8kj5O' +
  'BZIQBbrkmyCtRMANgovACjQxFIiZQxlNYAUL0RWIBTCYILlSfyOaAqA8A0zFfKCC1WhB7QaSZ2BNhPDmrHoBFReBKnBmgADWQlT3iqRCFDgHQBUwMKOoEDFl' +
  'YEDWD1bhiCRvwABWgCzPwMAGlxcHyQMVFDOggjAUeQYMeQaGcIS/gQBTHhIcYgEMeIAJNFxwAtZk/PLDDwAAZUVLLXz6x5QAAAAASUVORK5CYII=';
const PNG_36_BY_64 =
  'iVBORw0KGgoAAAANSUhEUgAAACQAAABABAMAAACAS8jnAAAAMFBMVEUVOEofb4v/6LAYSl8daYQaVW0cYXoWQFQzeo7Ky6d2nprt361dkZa0wKSbsp9Lh5LI' +
  'H1/wAAAACXBIWXMAAAsTAAALEwEAmpwYAAAA70lEQVQ4y+3QLw7CMBQG8C8ZfzQCBgJEHSGEkXCAobDsBuwGYPCTIHEoAhcgmSK4cQAEkkNwBvb62q3dCBeA' +
  'J7bkl37t16JRGvzpA933z8imjRDialE7TkkcTeqQiJFJJ0l9k3aSRGRQzJQYxJLu/3XVo7zXTcrQPLEr6WK1pxaDxLpjL6VDfscJfbavc/44zWrpvRaYFmmJ' +
  'cYGaQK1APlAv0BJAoKUFzgErTS44B2Q15kQeka7RAlQOuoZL5DOpGh4R5+DoHHQOCFUOOqdqUETnuAblkOVkjRn9/ZwCdZSXU4Vz5jicsyb0SrTGD88bgX1N' +
  'Vy3W8b8AAAAASUVORK5CYII=';

/** Returns a small prepared image, so that a load test measures the gateway and not the rendering. */
function getFixedImage(aspectRatio: AspectRatio): Buffer {
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
  return Buffer.from(width > height ? PNG_64_BY_36 : PNG_36_BY_64, 'base64');
}

// Rendering keeps a thread busy and large input images take a lot of memory: more at a time would only be slower.
const MAX_RENDERS = 2;

/**
 * Creates the built-in provider. It renders real images without any upstream and obeys directives in prompts, as payment
 * providers obey test cards.
 */
export function createSandbox(): ImageProvider {
  const renders = createSemaphore({ permits: MAX_RENDERS });
  return {
    name: 'sandbox',
    upstream: false,
    asynchronous: false,
    generate: async function* (request, { signal }) {
      const directives = parseDirectives(request.prompt);
      if (directives.delayMs > 0) {
        await sleep(directives.delayMs, undefined, { signal });
      }
      applyFailDirective(directives, request);
      const said = describeDrawing(request);
      for (const slot of request.slots) {
        if (slot >= directives.outputs) {
          continue;
        }
        signal.throwIfAborted();
        const bytes = directives.fixed
          ? getFixedImage(request.aspectRatio)
          : await renders.run(() => renderImage({ ...request, slot }));
        yield { type: 'image', bytes, slot, ...(!directives.fixed && { said }) };
      }
    },
  };
}

/** Says what was asked for and drawn; like DALL-E 3 it writes a style into the prompt. */
function describeDrawing({ prompt, fields: { seed, quality, style } }: ProviderRequest): SaidFacts {
  return { seed, quality, revisedPrompt: style === undefined ? undefined : `${prompt}, ${style} style` };
}

function applyFailDirective({ fail }: Directives, { earlierCalls, fields }: ProviderRequest): void {
  switch (fail) {
    case 'moderation':
      if (fields.moderation === 'low') {
        return;
      }
      throw new ProviderError('moderation', 'the prompt says so');
    case 'invalid':
      throw new ProviderError('invalid-input', 'the prompt says so');
    case 'upstream':
      throw new ProviderError('overload', 'the prompt says so');
    case 'once':
      if (earlierCalls === 0) {
        throw new ProviderError('overload', 'the prompt says so, for the first call');
      }
      return;
    case null:
  }
}

/** Directives of a prompt for the sandbox. */
interface Directives {
  /** Duration of the call in milliseconds. */
  readonly delayMs: number;
  readonly fail: 'moderation' | 'invalid' | 'upstream' | 'once' | null;
  /** Maximum number of images for the task. */
  readonly outputs: number;
  /** Returns a prepared image instead of a rendered one. */
  readonly fixed: boolean;
}

const DIRECTIVE =
  /sandbox:(?:(fixed)|delay=(\d{1,9})|fail=(moderation|invalid|upstream|once)|outputs=(\d{1,9}))(?![\w=])/g;

/** Parses the directives of a prompt; other text is ignored, and the last one of a kind counts. */
export function parseDirectives(prompt: string): Directives {
  let directives: Directives = { delayMs: 0, fail: null, outputs: Number.POSITIVE_INFINITY, fixed: false };
  for (const [, fixed, delay, fail, outputs] of prompt.matchAll(DIRECTIVE)) {
    if (fixed !== undefined) {
      directives = { ...directives, fixed: true };
    }
    if (delay !== undefined) {
      directives = { ...directives, delayMs: Number(delay) };
    }
    if (fail !== undefined) {
      directives = { ...directives, fail: fail as NonNullable<Directives['fail']> };
    }
    if (outputs !== undefined) {
      directives = { ...directives, outputs: Number(outputs) };
    }
  }
  return directives;
}
