export { chooseProxy, type ProxySettings } from './choose-proxy.js';
export {
  type CallRequest,
  type CallResponse,
  createOutbound,
  type Outbound,
  type OutboundOptions,
  type PostRequest,
  type PostResponse,
} from './create-outbound.js';
export type { BodyReceiver } from './exchange.js';
export type { FetchedBytes, FetchRequest } from './fetch-bytes.js';
export type { ResolvedAddress, ResolveHost } from './guard.js';
export { isNameNotFound, OutboundError, type OutboundReason } from './outbound-error.js';
