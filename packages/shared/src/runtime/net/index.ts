export { createSocketReader } from './create-socket-reader.js';
export {
  checkLiteralHost,
  getHostPort,
  isHostAllowed,
  isMachineAddress,
  isOwnHost,
  isPublicAddress,
} from './hosts.js';
