import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Returns the `host:port` of a URL as `OUTBOUND_ALLOW` writes it: lower case, IPv6 in brackets, the default port spelled out. */
export function getHostPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/**
 * Returns whether a URL may be called as far as it can be told without resolving a name. A literal address must be public. The name
 * `localhost` and names below it count as loopback addresses (RFC 6761). Other names are checked when they are resolved.
 */
export function isHostAllowed(url: URL): boolean {
  // URL has already turned 0x7f.1, 2130706433, 127.1 and full-width digits into the dotted form.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? isPublicAddress(host) : !/^(.+\.)?localhost\.?$/.test(url.hostname);
}

/** Domains that no public name server knows. */
const PRIVATE_DOMAINS = /\.(internal|local|lan|localhost|home\.arpa|svc)$/;

/**
 * Returns true for the host name of a URL that is surely on a private network. Such are addresses that are not public, names
 * without a dot, and names of private domains, as services of a Kubernetes cluster have.
 */
export function isOwnHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) ? !isPublicAddress(host) : !host.includes('.') || PRIVATE_DOMAINS.test(host);
}

/** Checks the literal host of a URL: `private` when it is not on the public Internet and its `host:port` is not in `allow`. */
export function checkLiteralHost(url: string | URL, allow: ReadonlySet<string>): 'ok' | 'private' {
  if (!URL.canParse(String(url))) {
    return 'private';
  }
  const parsed = new URL(url);
  return isHostAllowed(parsed) || allow.has(getHostPort(parsed)) ? 'ok' : 'private';
}

// IANA special-purpose registry (RFC 6890 and its updates), and 168.63.129.16, the metadata and DNS address that
// Azure puts inside every virtual network although it looks public.
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

// Only 2000::/3 is global unicast. All else is refused by that alone: ::, ::1, v4-compatible, NAT64 (64:ff9b::),
// discard (100::), 5f00::, unique local, link-local, site-local and multicast. Exceptions inside it:
const GLOBAL_UNICAST_V6 = ['2000::', 3] as const;
const NOT_PUBLIC_V6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 carries any IPv4 address
  ['3fff::', 20],
] as const;

const blocked = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) {
  blocked.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of NOT_PUBLIC_V6) {
  blocked.addSubnet(network, prefix, 'ipv6');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet(...GLOBAL_UNICAST_V6, 'ipv6');
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Returns whether an IP address (without brackets) is on the public Internet; false for anything that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) {
    return !blocked.check(address, 'ipv4');
  }
  if (!isIPv6(address) || address.includes('%')) {
    return false;
  }
  // A BlockList looks through IPv4-mapped addresses by itself, so the rules for IPv4 decide about them.
  if (mapped.check(address, 'ipv6')) {
    return !blocked.check(address, 'ipv6');
  }
  return globalUnicast.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

const MACHINE_V4 = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
] as const;
const machine = new BlockList();
for (const [network, prefix] of MACHINE_V4) {
  machine.addSubnet(network, prefix, 'ipv4');
}
machine.addSubnet('fe80::', 10, 'ipv6');
machine.addAddress('fd00:ec2::254', 'ipv6');

/** Returns whether an IP address (without brackets) is link-local, or gives out credentials of the machine that asks. */
export function isMachineAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  return isIPv4(plain) ? machine.check(plain, 'ipv4') : isIPv6(plain) && machine.check(plain, 'ipv6');
}
