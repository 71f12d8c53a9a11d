import { ImageGatewayError } from './errors.js';
import { type CallOptions, deleteOnce } from './tasks.js';
import { now, type Transport } from './transport.js';
import type { FileList, UploadedFile } from './types.js';

/** Time of one attempt to send or fetch an image. */
const ATTEMPT_MS = 120_000;

/** Images to edit, and images of tasks. */
export class Files {
  readonly #transport: Transport;
  readonly #timeoutMs: number;

  constructor(transport: Transport, timeoutMs: number) {
    this.#transport = transport;
    this.#timeoutMs = timeoutMs;
  }

  /** Uploads a PNG, JPEG or WebP image of at most 10 MiB. Its `url` stands in `image_urls` of a submit. */
  async upload(image: Blob | ArrayBuffer | Uint8Array, options: CallOptions = {}): Promise<UploadedFile> {
    const body = image instanceof Uint8Array ? new Uint8Array(image) : image;
    const head = body instanceof Blob ? await body.slice(0, 12).arrayBuffer() : body.slice(0, 12);
    const answer = await this.#transport.send<UploadedFile>({
      method: 'POST',
      path: '/v1/files',
      body,
      headers: { 'Content-Type': findImageType(new Uint8Array(head)) },
      ...this.#limit(options),
    });
    return answer.data;
  }

  /** Fetches the bytes of a result, or of an uploaded file. */
  async download(url: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const call = { method: 'GET', path: url, ...this.#limit(options) };
    const answer = await this.#transport.repeat(call, (response) => response.arrayBuffer());
    return new Uint8Array(answer.data);
  }

  /** Reads a page of the files of the account, newest first, with what all of them take of what it may keep. */
  async list(query: { page?: number; per_page?: number } = {}, options: CallOptions = {}): Promise<FileList> {
    const call = { method: 'GET', path: '/v1/files', query, ...this.#limit(options) };
    return (await this.#transport.send<FileList>(call)).data;
  }

  /** Removes an uploaded file. Takes its URL or its id. */
  async delete(file: string, options: CallOptions = {}): Promise<void> {
    const name = file.split('/').at(-1) ?? '';
    const path = `/v1/files/${encodeURIComponent(name)}`;
    await deleteOnce(() => this.#transport.send({ method: 'DELETE', path, ...this.#limit(options) }));
  }

  #limit({ timeoutMs = this.#timeoutMs, signal }: CallOptions) {
    return { deadline: now() + timeoutMs, attemptMs: ATTEMPT_MS, signal };
  }
}

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  [...text].every((character, index) => bytes[offset + index] === character.charCodeAt(0));

/** Finds the type of an image by its first bytes. Throws ImageGatewayError for anything else. */
export function findImageType(bytes: Uint8Array): string {
  if (startsWith(bytes, '\x89PNG')) {
    return 'image/png';
  }
  if (startsWith(bytes, '\xff\xd8\xff')) {
    return 'image/jpeg';
  }
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) {
    return 'image/webp';
  }
  throw new ImageGatewayError('This is no PNG, JPEG or WebP image.');
}
