import type { KeyCall } from '../../http/framework/call.js';
import type { UploadSlots } from './create-upload-slots.js';
import { openRequestSpool, type RequestSpool, type SpoolDeps } from './spool-upload.js';

/** Dependencies of uploads that wait for their turn. */
export interface RoomDeps extends SpoolDeps {
  readonly uploadSlots: UploadSlots;
}

/** Waits for a place of the account and for disk space, in turn. Closing the result frees both. Throws AppError. */
export async function openRoom(deps: RoomDeps, call: KeyCall, maxBytes: number): Promise<RequestSpool> {
  const closed = call.holdOpen();
  const upload = call.expectUpload();
  upload.isPaused = true;
  const leave = await deps.uploadSlots.wait(call.caller.accountId, closed).finally(() => {
    upload.isPaused = false;
  });
  const spool = await openRequestSpool(deps, call, maxBytes).catch((error: unknown) => {
    leave();
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    begin: spool.begin,
    close: () => {
      closing ??= spool.close().finally(leave);
      return closing;
    },
  };
}
