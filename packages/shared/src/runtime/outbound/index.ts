export type { CallRequest, CallResponse, PostRequest, PostResponse } from './call.js';
export { createOutbound, type Outbound, type OutboundOptions } from './create-outbound.js';
export type { FetchedBytes, FetchRequest } from './fetch-bytes.js';
export { isNameNotFound, OutboundError, type OutboundReason } from './outbound-error.js';
export type { BodyReceiver } from './read-body.js';
export type { ResolvedAddress, ResolveHost } from './resolvers.js';
