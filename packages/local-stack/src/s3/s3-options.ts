/** Which object store to run, and where. */
export interface S3Options {
  /** Where everything of the object store is kept. */
  readonly folder: string;
  readonly port: number;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** False for throw-away data: nothing is flushed to disk. */
  readonly durable: boolean;
  /** The MinIO program to use; null for the embedded server. */
  readonly minio: string | null;
  /** The embedded server ends when this process does; without it, somebody else has to see to that. */
  readonly parentPid?: number;
}
