import { createHash } from 'node:crypto';
import sharp from 'sharp';

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

/** An input image as it came in: `digest` for the log, and whether it is an image that can be decoded. */
export interface DescribedInput {
  readonly digest: string;
  readonly readable: boolean;
}

/** Reads an input image: bytes, a data URL, or an address, which is accepted without fetching it. */
export async function describeInput(input: Buffer | string): Promise<DescribedInput> {
  if (typeof input === 'string' && /^https?:\/\//.test(input)) {
    return { digest: input, readable: true };
  }
  const bytes = typeof input === 'string' ? Buffer.from(DATA_URL.exec(input)?.[1] ?? '', 'base64') : input;
  const digest = createHash('sha256').update(bytes).digest('hex');
  try {
    await sharp(bytes).stats();
    return { digest, readable: true };
  } catch {
    return { digest, readable: false };
  }
}
