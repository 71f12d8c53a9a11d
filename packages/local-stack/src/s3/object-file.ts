import { type FileHandle, open } from 'node:fs/promises';

/** What stands behind the bytes of an object in its file. */
export interface ObjectHead {
  readonly bytes: number;
  readonly md5: string;
  /** Header names in lower case: the content type and what the user added. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface OpenObject {
  readonly file: FileHandle;
  readonly head: ObjectHead;
  readonly modified: Date;
}

const MAGIC = Buffer.from('igw-obj1');
const TAIL_BYTES = 4 + MAGIC.length;
const FIRST_READ_BYTES = 2_048;

/** The end of an object's file: head, its length, magic. A file without it was never finished. */
export function encodeHead(head: ObjectHead): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length, MAGIC]);
}

/** Opens a complete object for reading; null when there is none, or one that was not written to its end. */
export async function openObject(path: string): Promise<OpenObject | null> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { size, mtime } = await file.stat();
  const head = await readHead(file, size);
  if (head !== null) return { file, head, modified: mtime };
  await file.close();
  return null;
}

async function readHead(file: FileHandle, size: number): Promise<ObjectHead | null> {
  let end = await readEnd(file, size, FIRST_READ_BYTES);
  if (end.length < TAIL_BYTES || !end.subarray(-MAGIC.length).equals(MAGIC)) return null;
  const length = end.readUInt32BE(end.length - TAIL_BYTES) + TAIL_BYTES;
  if (length > end.length) end = await readEnd(file, size, length);
  if (length > end.length) return null;
  const head = JSON.parse(
    end.subarray(end.length - length, end.length - TAIL_BYTES).toString(),
  ) as ObjectHead;
  return head.bytes + length === size ? head : null;
}

async function readEnd(file: FileHandle, size: number, wanted: number): Promise<Buffer> {
  const length = Math.min(size, wanted);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}
