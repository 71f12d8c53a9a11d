/** Whether an `If-None-Match` header names an entity tag, or any; weak and strong tags count alike, as RFC 9110 says. */
export function isNamed(ifNoneMatch: readonly string[], etag: string): boolean {
  return ifNoneMatch
    .flatMap((value) => value.split(','))
    .some((value) => value.trim() === '*' || value.trim().replace(/^W\//, '') === etag);
}
