import type { Call } from '../../http/framework/call.js';
import type { SessionClient } from './create-auth.js';

/** Returns the browser that sent a request. */
export function getSessionClient(call: Pick<Call, 'header' | 'ip'>): SessionClient {
  return {
    cookie: call.header('cookie').join('; '),
    ip: call.ip,
    userAgent: toPrintable(call.header('user-agent')[0] ?? ''),
  };
}

/** Removes what a header object refuses: everything but printable ASCII. */
function toPrintable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}
