/** File of `/v1/files` as the API shows it. */
export interface PublicFile {
  /** `file_…`, which can stand in `image_urls`. */
  readonly id: string;
  /** The same; it needs a key to be fetched. */
  readonly url: string;
  readonly content_type: string;
  readonly bytes: number;
  /** Pixels as they are stored. */
  readonly width: number;
  readonly height: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Until when it is kept, unless a task uses it. */
  readonly expires_at: string;
}
