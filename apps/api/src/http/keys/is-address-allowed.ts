import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const parsed = new WeakMap<readonly string[], BlockList>();

/** Returns true for the canonical address of a client in one of the networks of a key; an empty list allows all addresses. */
export function isAddressAllowed(cidrs: readonly string[], address: string): boolean {
  if (cidrs.length === 0) {
    return true;
  }
  const networks = parsed.get(cidrs) ?? parseNetworks(cidrs);
  parsed.set(cidrs, networks);
  if (address === '') {
    return false;
  }
  return networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function parseNetworks(cidrs: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const cidr of cidrs) {
    const [text = '', prefix] = cidr.split('/');
    const address = ipaddr.parse(text);
    const bits = prefix === undefined ? Number.POSITIVE_INFINITY : Number(prefix);
    if (address instanceof ipaddr.IPv4) {
      networks.addSubnet(text, Math.min(bits, 32), 'ipv4');
    } else if (address.isIPv4MappedAddress() && bits >= 96) {
      // Clients at IPv4 addresses never show them as IPv6.
      networks.addSubnet(address.toIPv4Address().toString(), Math.min(bits - 96, 32), 'ipv4');
    } else {
      networks.addSubnet(text, Math.min(bits, 128), 'ipv6');
    }
  }
  return networks;
}
