export { checkLiteralHost } from './check-literal-host.js';
export { createOutbound, type Outbound, type OutboundOptions } from './create-outbound.js';
export type { FetchedBytes, FetchRequest } from './fetch-bytes.js';
export { hostPortOf } from './host-port-of.js';
export { isPublicAddress } from './is-public-address.js';
export { OutboundError, type OutboundReason } from './outbound-error.js';
export type { PostAnswer, PostRequest } from './post-bytes.js';
export type { CallAnswer, CallRequest } from './request-bytes.js';
export type { ResolvedAddress, ResolveHost } from './resolvers.js';
