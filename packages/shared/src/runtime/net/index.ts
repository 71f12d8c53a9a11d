export { checkLiteralHost, getHostPort, isHostAllowed } from './hosts.js';
export { isPublicAddress } from './is-public-address.js';
