import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProviderRequest } from '../port.js';

/** Bytes that a JSON body contains as a base64 string. */
export interface Embedded {
  readonly embed: Buffer;
  /** Text before the base64 in the same string. */
  readonly prefix: string;
}

/** Embeds bytes as a plain base64 string. */
export function toBase64(bytes: Buffer): Embedded {
  return { embed: bytes, prefix: '' };
}

/** Embeds an image as a data URL. */
export function toDataUrl({
  bytes,
  contentType,
}: {
  readonly bytes: Buffer;
  readonly contentType: string;
}): Embedded {
  return { embed: bytes, prefix: `data:${contentType};base64,` };
}

/** Returns the prompt, with the negative one where that has no field of its own. */
export function foldPrompt({
  prompt,
  negativePrompt,
  fields,
}: Pick<ProviderRequest, 'prompt' | 'negativePrompt' | 'fields'>): string {
  const isFolded = negativePrompt !== null && fields.negativePrompt === undefined;
  return isFolded ? `${prompt}\n\nAvoid: ${negativePrompt}` : prompt;
}

// A multiple of three bytes, so that the pieces of base64 can be joined.
const PIECE_BYTES = 3 * 512 * 1024;

/**
 * Encodes a JSON body with every `Embedded` as a base64 string. Images never become complete JavaScript strings and are
 * encoded in pieces, so that nine of them do not block the event loop.
 */
export async function encodeJson(value: unknown): Promise<Buffer> {
  const token = randomUUID();
  const embedded: Embedded[] = [];
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, given: unknown) {
    const raw = this[key];
    if (!isEmbedded(raw)) {
      return given;
    }
    embedded.push(raw);
    return token;
  });
  const [first = '', ...rest] = text.split(`"${token}"`);
  const parts: Buffer[] = [Buffer.from(first)];
  for (const [index, after] of rest.entries()) {
    const { embed = Buffer.alloc(0), prefix = '' } = embedded[index] ?? {};
    parts.push(Buffer.from(`"${prefix}`));
    for (let at = 0; at < embed.length; at += PIECE_BYTES) {
      parts.push(Buffer.from(embed.subarray(at, at + PIECE_BYTES).toString('base64'), 'latin1'));
      await nextTurn();
    }
    parts.push(Buffer.from(`"${after}`));
  }
  return Buffer.concat(parts);
}

function isEmbedded(value: unknown): value is Embedded {
  return typeof value === 'object' && value !== null && 'embed' in value && Buffer.isBuffer(value.embed);
}
