import type { StubRequest, Upload } from './protocol.js';

/** A form that came in. */
export interface ReadForm {
  /** In the order in which they came; a name may come twice. */
  readonly fields: readonly (readonly [string, string])[];
  readonly files: readonly Upload[];
}

/** Reads a multipart form; null when the body is none. */
export async function readForm({ headers, body }: StubRequest): Promise<ReadForm | null> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) {
    return null;
  }
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    const entries = [...form.entries()];
    return {
      fields: entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
      files: await Promise.all(
        entries.flatMap(([field, value]) =>
          typeof value === 'string'
            ? []
            : [
                value.arrayBuffer().then((bytes) => ({
                  field,
                  name: value.name,
                  type: value.type,
                  bytes: Buffer.from(bytes),
                })),
              ],
        ),
      ),
    };
  } catch {
    return null;
  }
}
