/** Statuses of the error codes of the S3 protocol that this server uses. */
const STATUSES = {
  AccessDenied: 403,
  BadDigest: 400,
  BucketAlreadyOwnedByYou: 409,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidRange: 416,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
} as const;

/** Refusal in terms of the S3 protocol. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: keyof typeof STATUSES;
  readonly status: number;

  constructor(code: keyof typeof STATUSES, message: string) {
    super(message);
    this.code = code;
    this.status = STATUSES[code];
  }
}
