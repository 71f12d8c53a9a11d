import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `[address]` or `[address]:port`, and `address:port` of IPv4, as some proxies write X-Forwarded-For. */
const BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;

/**
 * Returns the one form of a client's address that limits, networks of keys and sessions compare. Ports, brackets and zone ids are
 * dropped, IPv4 written as IPv6 becomes IPv4, and IPv6 is written as in RFC 5952. Returns '' for what is no address.
 */
export function toClientAddress(text: string | undefined): string {
  const given = text ?? '';
  // Nearly all addresses have this form.
  if (isIPv4(given)) {
    return given;
  }
  const bare = BRACKETS.exec(given)?.[1] ?? WITH_PORT.exec(given)?.[1] ?? given;
  const address = bare.replace(/%.*$/, '');
  if (isIPv4(address)) {
    return address;
  }
  if (!isIPv6(address)) {
    return '';
  }
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}
