import { AppError } from '@image-gateway/shared/errors';
import { describe, expect, test } from '@jest/globals';
import { checkEmail, listEmailForms, normalizeEmail } from './check-email.js';

/** Addresses that are good by RFC 5322 and 6531, or that one of the doors took in earlier versions. */
const ADDRESSES = [
  'a@bücher.example',
  'ünï@example.com',
  'x@例え.jp',
  'a&b@example.com',
  'bounce+a=b.example@example.com',
  'a/b@example.com',
  'a#b@example.com',
  'a!b@example.com',
  'a|b@example.com',
  'a@b.c',
  'a@example.c0m',
  'a*b@example.com',
  'a?b@example.com',
  'a^b@example.com',
  'a`b@example.com',
  'a{b}@example.com',
  'a~b@example.com',
  'a$b@example.com',
  'a%b@example.com',
  "o'b@example.com",
  '_@example.com',
  'x@xn--e1afmkfd.xn--p1ai',
];

describe('the one form of an e-mail address', () => {
  test.each(ADDRESSES)('%s is an address, and its form is its own form', (address) => {
    const form = normalizeEmail(address) ?? '';
    expect(form.split('@')[0]).toBe(address.split('@')[0]);
    expect(normalizeEmail(form)).toBe(form);
    expect(normalizeEmail(` ${address.toUpperCase()} `)).toBe(form);
  });

  test('has the domain as browsers send it, whatever white space, case and composition were typed', () => {
    for (const typed of ['one@bücher.example', ' ONE@BÜCHER.example\n', 'one@bu\u0308cher.example']) {
      expect(normalizeEmail(typed)).toBe('one@xn--bcher-kva.example');
    }
    expect(normalizeEmail('u\u0308@example.com')).toBe('ü@example.com');
  });

  test('is looked for beside the address as an earlier version stored it', () => {
    expect(listEmailForms(' Früh@früher.example')).toEqual([
      'früh@xn--frher-lva.example',
      'früh@früher.example',
    ]);
    expect(listEmailForms('a@b.c')).toEqual(['a@b.c']);
  });

  test.each([
    'nobody',
    '@example.com',
    'a@',
    'a b@example.com',
    'a@exa mple.com',
    'a@@example.com',
    'a@localhost',
    `${'a'.repeat(243)}@example.com`,
  ])('%j has none', (text) => {
    expect(normalizeEmail(text)).toBeNull();
    expect(() => checkEmail(text)).toThrow(AppError);
  });
});
