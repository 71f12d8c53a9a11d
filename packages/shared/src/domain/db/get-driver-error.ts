/** What Prisma calls a connection that was not there, with the code that the driver had for it. */
const LOST: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'ECONNREFUSED',
  ConnectionClosed: 'ECONNRESET',
  SocketTimeout: 'ETIMEDOUT',
};

interface PrismaError {
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: DriverCause } };
}

interface DriverCause {
  readonly kind?: string;
  readonly originalCode?: string;
  readonly originalMessage?: string;
}

/** The driver's error inside of one of Prisma's, with its SQLSTATE or the code of the broken connection; the very error when there is none inside. */
export function getDriverError(error: unknown): unknown {
  const cause = (error as PrismaError | null)?.meta?.driverAdapterError?.cause;
  const code = cause?.originalCode ?? LOST[cause?.kind ?? ''];
  if (code === undefined) return error;
  return Object.assign(new Error(cause?.originalMessage ?? cause?.kind, { cause: error }), { code });
}
