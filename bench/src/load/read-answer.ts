const HEAD_END = Buffer.from('\r\n\r\n');

/** Reads the start of an HTTP answer with a Content-Length: its status, and how many bytes are missing; null without its whole head. */
export function readAnswer(bytes: Buffer): { readonly status: number; missing: number } | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) {
    return null;
  }
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  if (status === 304 || status === 204) {
    return { status, missing: 0 };
  }
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) {
    throw new Error(`an answer without Content-Length: ${head}`);
  }
  return { status, missing: end + HEAD_END.length + Number(length) - bytes.length };
}
