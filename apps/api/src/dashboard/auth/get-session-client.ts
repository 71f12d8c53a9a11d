import type { Call } from '../../http/framework/call.js';
import type { SessionClient } from './create-auth.js';

/** Takes out of a request what matters for its log-in. */
export function getSessionClient(call: Pick<Call, 'header' | 'ip'>): SessionClient {
  return {
    cookie: call.header('cookie').join('; '),
    ip: call.ip,
    userAgent: toPrintable(call.header('user-agent')[0] ?? ''),
  };
}

/** A header object takes nothing but Latin-1 without control characters. */
function toPrintable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}
