import { buildStatusCommand } from './build-status-command.js';

/** `account suspend`: refuse new requests of an account; accepted tasks go on. */
export const accountSuspend = buildStatusCommand(
  'suspend',
  'suspended',
  'Refuse new requests of an account; accepted tasks go on',
);
