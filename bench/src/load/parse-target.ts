/** Where a load goes to: one or several servers of one machine. */
export function parseTarget(urls: readonly string[]): {
  readonly host: string;
  readonly ports: readonly number[];
} {
  const all = urls.map((url) => new URL(url));
  return { host: all[0]?.hostname ?? '127.0.0.1', ports: all.map(({ port }) => Number(port)) };
}
