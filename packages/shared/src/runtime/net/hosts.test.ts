import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLiteralHost, isOwnHost, isPublicAddress } from './index.js';

const NOT_PUBLIC = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.255
  168.63.129.16 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
  198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::7f00:1 ::10.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
  64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:53aa:64c:0:7bff:f5ff:fffe 2001:2::1
  2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 3fff:fff:ffff::1 4000::1 5f00::1 fc00::1
  fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ffff::1`;
const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 168.63.129.15 169.253.255.255
  169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.88.98.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  203.0.112.1 203.0.114.1 223.255.255.255 ::ffff:8.8.8.8 2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1
  2001:db9::1 2003::1 2606:4700::1111 2a00:1450::1 3ffe:ffff::1 3fff:1000::1`;
const splitWords = (text: string) => text.trim().split(/\s+/);

describe('addresses', () => {
  test.each(splitWords(NOT_PUBLIC))('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(splitWords(PUBLIC))('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('what is no address at all is not public', () => {
    for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '[::1]', '8.8.8.8:80', ' 8.8.8.8']) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });

  test('an IPv4 address and its mapped form are judged alike', () => {
    fc.assert(fc.property(fc.ipV4(), (ip) => isPublicAddress(ip) === isPublicAddress(`::ffff:${ip}`)));
  });

  test('an IPv4 address hidden in NAT64, 6to4, Teredo or v4-compatible form is never public', () => {
    const octet = fc.nat(255);
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const hex = [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(':');
        return [`64:ff9b::${hex}`, `2002:${hex}::1`, `2001:0:${hex}::`, `::${hex}`].every(
          (ip) => !isPublicAddress(ip),
        );
      }),
    );
  });
});

describe('addresses written out in a URL', () => {
  const none = new Set<string>();

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127.0.0.1./',
    'https://[::1]/',
    'http://[::ffff:7f00:1]:8080/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://0/',
    'http://localhost/',
    'https://printer.localhost:8443/',
    'not a url',
  ])('%s is private', (url) => {
    expect(checkLiteralHost(url, none)).toBe('private');
  });

  test('names and public addresses are ok', () => {
    for (const url of [
      'https://localhost.example.com/',
      'https://example.com',
      'http://8.8.8.8:81/',
      'http://[2606:4700::1111]/',
    ]) {
      expect(checkLiteralHost(url, none)).toBe('ok');
    }
  });

  test('only the exact host and port that are allowed get through', () => {
    const allow = new Set(['127.0.0.1:9000', '[::1]:80', '10.0.0.1:443']);
    const verdicts = [
      'http://127.0.0.1:9000/x',
      'http://[::1]/',
      'https://10.0.0.1/',
      'https://[0:0::1]:80/',
    ];
    for (const url of verdicts) {
      expect(checkLiteralHost(url, allow)).toBe('ok');
    }
    for (const url of [
      'http://127.0.0.1:9001/',
      'http://127.0.0.2:9000/',
      'http://10.0.0.1/',
      'https://[::1]/',
    ]) {
      expect(checkLiteralHost(url, allow)).toBe('private');
    }
  });
});

test("hosts of a network of one's own are private addresses, names without a dot and names of private domains", () => {
  const isOwn = (url: string) => isOwnHost(new URL(url).hostname);
  const own = [
    'http://10.0.0.5:8000',
    'http://[fd00::1]/',
    'http://gpu',
    'http://localhost',
    'http://comfy.images.svc',
    'http://GPU.local.',
  ];
  expect(own.filter((url) => !isOwn(url))).toEqual([]);
  const others = [
    'https://api.openai.com',
    'http://8.8.8.8',
    'http://[2606:4700::1111]/',
    'https://svc.example.com',
    'https://internal.com',
  ];
  expect(others.filter(isOwn)).toEqual([]);
});
