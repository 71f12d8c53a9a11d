import { findImageType, readFile } from './inputs.js';
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

  /**
   * Uploads a PNG, JPEG or WebP image of at most 10 MiB: bytes, or the path of a file. Its `url` stands in `image_urls` of a
   * submit.
   */
  async upload(
    image: Blob | ArrayBuffer | Uint8Array | string,
    options: CallOptions = {},
  ): Promise<UploadedFile> {
    const given = typeof image === 'string' ? await readFile(image) : image;
    // A Blob can be sent again: Node 20 takes the memory of other bodies away with the first attempt.
    const body = given instanceof Blob ? given : new Blob([new Uint8Array(given)]);
    const head = await body.slice(0, 12).arrayBuffer();
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
