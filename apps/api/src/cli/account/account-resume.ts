import { buildStatusCommand } from './build-status-command.js';

/** `account resume`: let a suspended account send requests again. */
export const accountResume = buildStatusCommand(
  'resume',
  'active',
  'Let a suspended account send requests again',
);
