/** The `code` of anything thrown: of a socket error or of the S3 protocol; undefined where there is none. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : undefined;
}
