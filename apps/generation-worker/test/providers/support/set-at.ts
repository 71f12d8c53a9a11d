/** A copy of a JSON value with another value at a JSON pointer (RFC 6901); undefined takes out what stands there. */
export function setAt(value: unknown, pointer: string, other: unknown): unknown {
  const [, ...keys] = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  // A structured clone belongs to another realm under Jest and would equal nothing.
  const copy: unknown = JSON.parse(JSON.stringify(value));
  const last = keys.pop();
  let place = copy as Record<string, unknown>;
  for (const key of keys) {
    if (typeof place[key] !== 'object' || place[key] === null) {
      place[key] = {};
    }
    place = place[key] as Record<string, unknown>;
  }
  if (last === undefined) {
    return other;
  }
  if (other !== undefined) {
    place[last] = other;
  } else if (Array.isArray(place)) {
    place.splice(Number(last), 1);
  } else {
    delete place[last];
  }
  return copy;
}
