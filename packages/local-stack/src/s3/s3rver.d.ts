// Types of the used parts of @20minutes/s3rver 4.0.4, which has none.

declare module 's3rver' {
  import type { IncomingMessage, RequestListener } from 'node:http';

  export interface Context {
    readonly method: string;
    readonly query: Readonly<Record<string, string | string[] | undefined>>;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly req: IncomingMessage;
    /** Set once the signature was found to be right. */
    readonly state: { account?: unknown };
    store: object;
  }
  export type Middleware = (ctx: Context, next: () => Promise<void>) => Promise<void>;

  export default class S3rver {
    constructor(options: { silent: boolean; directory: string; vhostBuckets: boolean });
    readonly middleware: Middleware[];
    store: object;
    /** Koa's: the listener for a server of Node. */
    callback(): RequestListener;
    on(event: 'error', listener: (error: Error) => void): this;
  }
}

declare module 's3rver/lib/models/error.js' {
  /** Error that s3rver sends as XML with the status of its code. */
  export default class S3Error extends Error {
    constructor(code: string, message: string, detail?: Record<string, string>);
  }
}

declare module 's3rver/lib/models/account.js' {
  interface Account {
    createKeyPair(accessKeyId: string, secretAccessKey: string): void;
    revokeAccessKey(accessKeyId: string): void;
  }
  const accounts: { DUMMY_ACCOUNT: Account };
  export default accounts;
}
