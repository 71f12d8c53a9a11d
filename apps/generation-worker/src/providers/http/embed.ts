/** Bytes that stand in a JSON body as a base64 string. */
export interface Embedded {
  readonly embed: Buffer;
  /** What stands before the base64 in the same string. */
  readonly prefix: string;
}

/** Bytes as a plain base64 string of a JSON body. */
export function base64(bytes: Buffer): Embedded {
  return { embed: bytes, prefix: '' };
}

/** Bytes as a data URL of a JSON body. */
export function dataUrl({
  bytes,
  contentType,
}: {
  readonly bytes: Buffer;
  readonly contentType: string;
}): Embedded {
  return { embed: bytes, prefix: `data:${contentType};base64,` };
}
