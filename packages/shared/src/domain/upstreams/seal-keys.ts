import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { computeFingerprint } from './compute-fingerprint.js';

/** Provider and address that keys are set for; under another address they are not used. */
export interface KeyPlace {
  readonly name: string;
  readonly protocol: string;
  readonly hostPort: string;
}

/** Encrypted keys of a provider. */
export interface SealedKeys {
  /** Names the encryption key. */
  readonly encryptionKeyId: string;
  readonly nonce: Buffer;
  /** Encrypted text with its authentication tag. */
  readonly sealed: Buffer;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the name of an encryption key, which tells nothing of it. */
export function getEncryptionKeyId(key: Buffer): string {
  return computeFingerprint(key.toString('base64'));
}

/** Encrypts keys with the first encryption key and a fresh nonce. The place is authenticated with them. */
export function sealKeys(encryptionKeys: readonly Buffer[], place: KeyPlace, text: string): SealedKeys {
  const [key] = encryptionKeys;
  if (!key) {
    throw new Error('there is no encryption key');
  }
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(toBytes(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { encryptionKeyId: getEncryptionKeyId(key), nonce, sealed };
}

/** Decrypts keys; null where no encryption key fits, or the place is another one. */
export function openKeys(
  encryptionKeys: readonly Buffer[],
  { name, protocol, hostPort }: KeyPlace,
  { encryptionKeyId, nonce, sealed }: SealedKeys,
): string | null {
  const key = encryptionKeys.find((one) => getEncryptionKeyId(one) === encryptionKeyId);
  if (!key) {
    return null;
  }
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce)
      .setAAD(toBytes({ name, protocol, hostPort }))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    return decipher.update(sealed.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // Another place, or bytes that somebody changed: the tag does not fit.
    return null;
  }
}

const toBytes = ({ name, protocol, hostPort }: KeyPlace): Buffer =>
  Buffer.from(JSON.stringify([name, protocol, hostPort]));
