/** Fills in the parameters of a path, such as `:id`, and appends a query without its undefined values. */
export function buildUrl(
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(params[name])));
  const fields = Object.entries(query).filter(([, value]) => value !== undefined);
  if (fields.length === 0) {
    return filled;
  }
  return `${filled}?${new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString()}`;
}
