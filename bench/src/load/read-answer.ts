const HEAD_END = Buffer.from('\r\n\r\n');

/** Reads one whole HTTP answer with a Content-Length; null while some of it is missing. */
export function readAnswer(bytes: Buffer): { readonly status: number } | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) {
    return null;
  }
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  if (status === 304 || status === 204) {
    return { status };
  }
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) {
    throw new Error(`an answer without Content-Length: ${head}`);
  }
  return bytes.length >= end + 4 + Number(length) ? { status } : null;
}
