import type { Call } from '../../http/call.js';
import type { Visitor } from './create-auth.js';

/** Takes out of a request what matters for its log-in. */
export function visitorOf(call: Pick<Call, 'header' | 'ip'>): Visitor {
  return {
    cookie: call.header('cookie').join('; '),
    ip: call.ip,
    userAgent: printable(call.header('user-agent')[0] ?? ''),
  };
}

/** A header object takes nothing but Latin-1 without control characters. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}
