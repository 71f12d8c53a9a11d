import { OutboundError } from './outbound-error.js';

/** Parses the URL of an outbound call; throws OutboundError `bad-url` unless it is http or https without user info. */
export function parseOutboundUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new OutboundError('bad-url', 'not a URL');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('bad-url', `the protocol ${url.protocol} is not http or https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('bad-url', `the URL for ${url.host} carries user info`);
  }
  url.hash = '';
  return url;
}
