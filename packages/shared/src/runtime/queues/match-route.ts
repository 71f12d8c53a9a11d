/** What stands in the places of a route such as `/api/queues/:name`, when a path is one of that kind; null otherwise. */
export function matchRoute(route: string, path: string): Record<string, string> | null {
  const places = route.split('/');
  const parts = path.split('/');
  if (places.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, place] of places.entries()) {
    const part = parts[index] ?? '';
    if (place.startsWith(':') && part !== '') params[place.slice(1)] = part;
    else if (place !== part) return null;
  }
  return params;
}
