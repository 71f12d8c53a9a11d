export { checkLiteralHost, getHostPort, isHostAllowed, isPublicAddress } from './hosts.js';
