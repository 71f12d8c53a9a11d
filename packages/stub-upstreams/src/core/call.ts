import type { CallKind } from './behaviour.js';

/** A request as it came in. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Where the caller believes the stub to be, such as `http://127.0.0.1:8090`. */
  readonly origin: string;
}

/** A file that came in. */
export interface Upload {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Call as a protocol reads it from a request. */
export interface StubCall {
  readonly kind: CallKind;
  readonly key: string | null;
  readonly model: string | null;
  readonly prompt: string | null;
  /** Number of images. */
  readonly asked: number;
  readonly job: string | null;
  /** The parsed body; undefined when there is none or it is unreadable. */
  readonly body: unknown;
  /** Files of a form; undefined when the body is none. */
  readonly files?: readonly Upload[] | undefined;
}

/** An answer; an object is sent as JSON. */
export interface StubResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | object | null;
}

/** Builds the answer of a success. */
export const ok = (body: object, headers: Readonly<Record<string, string>> = {}): StubResponse => ({
  status: 200,
  headers,
  body,
});

/** Builds the header by which a refusal asks to be left alone for so long. */
export const waitFor = (seconds: number) => ({ 'retry-after': String(seconds) });

/** The value as a plain object, an empty one when it is none. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The value as a list, an empty one when it is none. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A JSON body, undefined when it is none. */
export function readJson(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return value;
  } catch {
    return undefined;
  }
}

/** Reads a multipart form, its fields in the order in which they came; null when the body is none. */
export async function readForm({ headers: { 'content-type': type = '' }, body }: StubRequest) {
  if (!type.startsWith('multipart/form-data')) {
    return null;
  }
  const headers = { 'content-type': type };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => new FormData());
  const fields: (readonly [string, string])[] = [];
  const files: Upload[] = [];
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') {
      fields.push([field, value]);
    } else {
      const bytes = Buffer.from(await value.arrayBuffer());
      files.push({ field, name: value.name, type: value.type, bytes });
    }
  }
  return { fields, files };
}
