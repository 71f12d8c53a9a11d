import { BlockList, isIPv4, isIPv6 } from 'node:net';

const parsed = new WeakMap<readonly string[], BlockList>();

/** Returns true for an address of a client in one of the networks of a key; an empty list allows all addresses. */
export function isAddressAllowed(cidrs: readonly string[], address: string): boolean {
  if (cidrs.length === 0) {
    return true;
  }
  const networks = parsed.get(cidrs) ?? parseNetworks(cidrs);
  parsed.set(cidrs, networks);
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain)) {
    return networks.check(plain, 'ipv4');
  }
  return isIPv6(plain) && networks.check(plain, 'ipv6');
}

function parseNetworks(cidrs: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/');
    const [family, bits] = isIPv4(address) ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    networks.addSubnet(address, prefix === undefined ? bits : Number(prefix), family);
  }
  return networks;
}
