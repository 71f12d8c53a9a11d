export { createSocketReader } from './create-socket-reader.js';
export {
  checkLiteralHost,
  getHostPort,
  isHostAllowed,
  isMachineAddress,
  isPublicAddress,
} from './hosts.js';
