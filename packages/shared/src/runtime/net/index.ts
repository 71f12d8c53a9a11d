export {
  checkLiteralHost,
  getHostPort,
  isHostAllowed,
  isMachineAddress,
  isPublicAddress,
} from './hosts.js';
