import { foldPrompt } from '../fold-prompt.js';
import type { InputImage, ProviderRequest } from '../port.js';
import type { OpenaiDialect } from './dialect-of.js';
import { sizeOf } from './size-of.js';

/** A request to a server of OpenAI's protocol, before it is written as JSON or as a form. */
export interface OpenaiRequest {
  readonly path: '/images/generations' | '/images/edits';
  readonly fields: Readonly<Record<string, unknown>>;
  /** The pictures to edit; there are some exactly for `/images/edits`. */
  readonly files: readonly InputImage[];
  /** The form's name for each of them. */
  readonly fileField: 'image' | 'image[]';
}

// Ours to say: which words are spoken, and which pictures are edited.
const NEVER_AN_OPTION = { dialect: undefined, image: undefined, 'image[]': undefined, images: undefined };

/**
 * What is asked for, in the words of the dialect. The options of the route stand beside our own values and win over them,
 * never over the model, the prompt, the pictures and their number.
 */
export function requestOf(request: ProviderRequest, dialect: OpenaiDialect): OpenaiRequest {
  const { model, slots, inputs, options, aspectRatio, resolution } = request;
  const edits = inputs.length > 0;
  const fields = {
    size: sizeOf(dialect, aspectRatio, resolution),
    ...(dialect === 'openai' ? openaiDefaults(request) : { response_format: 'b64_json' }),
    ...options,
    model,
    ...promptOf(request, dialect),
    n: slots.length,
    ...NEVER_AN_OPTION,
    // OpenAI's form for edits has no such field and would refuse it (openai-node 6.49.0, ImageEditParams).
    ...(dialect === 'openai' && edits && { moderation: undefined }),
  };
  return {
    path: edits ? '/images/edits' : '/images/generations',
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    files: inputs,
    fileField: dialect === 'openai' ? 'image[]' : 'image',
  };
}

function openaiDefaults({ resolution }: ProviderRequest): object {
  return {
    quality: 'medium',
    // Four PNGs of 4k as base64 can be larger than what an answer may be.
    output_format: resolution === '4k' ? 'jpeg' : 'png',
    moderation: 'auto',
  };
}

function promptOf({ prompt, negativePrompt }: ProviderRequest, dialect: OpenaiDialect): object {
  if (dialect === 'openai') return { prompt: foldPrompt(prompt, negativePrompt) };
  return { prompt, ...(negativePrompt !== null && { negative_prompt: negativePrompt }) };
}
