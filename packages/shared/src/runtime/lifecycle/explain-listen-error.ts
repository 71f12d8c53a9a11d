/** Returns the error of a server that could not listen, with the setting of its port where another program has that. */
export function explainListenError(
  error: Error,
  { port, host, setting }: { readonly port: number; readonly host: string; readonly setting: string },
): Error {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    ? new Error(
        `another program listens on port ${port} of ${host}: end it, or set ${setting} to a free port`,
        {
          cause: error,
        },
      )
    : error;
}
