/** Says whether the host of a URL is `localhost` or a name under `.localhost`, which RFC 6761 gives to the loopback addresses. */
export function isLoopbackName(url: URL): boolean {
  return /^(.+\.)?localhost\.?$/.test(url.hostname);
}
