import { isIPv4 } from 'node:net';
import { grantSignupCredit } from '@image-gateway/shared/billing';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import ipaddr from 'ipaddr.js';
import { EmailTakenError, toMailbox } from '../user/check-email.js';
import { createAccount } from './create-account.js';

/** Credit of accounts that sign up themselves. */
export interface SignupTerms {
  /** 0: none. */
  readonly amountMicros: bigint;
  /** Most of a UTC day; undefined: twenty times the amount. */
  readonly dayLimitMicros: bigint | undefined;
}

/** Visitor who makes an account. */
export interface Visitor {
  readonly email: string;
  readonly password?: string;
  /** Hash of the password of a visitor who has confirmed the address, in place of a password. */
  readonly passwordHash?: string;
  /** Canonical address of the client. */
  readonly ip: string;
}

const CREDITS_A_DAY = 20n;

/**
 * Makes an account for a visitor, with its credit where the terms have one. An address that has an account already stays as it is.
 * Throws AppError `VALIDATION_ERROR` for a bad address or password.
 */
export async function signUp(
  db: Pick<Database, 'run'>,
  { amountMicros, dayLimitMicros = amountMicros * CREDITS_A_DAY }: SignupTerms,
  { ip, ...logIn }: Visitor,
): Promise<void> {
  try {
    const account = await createAccount({ db }, { ...logIn, openingMicros: 0n, actor: 'sign-up' });
    if (amountMicros === 0n) {
      return;
    }
    const credit = {
      accountId: account.id,
      address: toMailbox(account.email),
      network: toNetwork(ip),
      amountMicros,
      dayLimitMicros,
    };
    await grantSignupCredit({ db, newId }, credit);
  } catch (error) {
    if (!(error instanceof EmailTakenError)) {
      throw error;
    }
  }
}

/** Returns the network of a client that counts as one: /24 of IPv4, /48 of IPv6, which a provider gives to one customer. */
function toNetwork(address: string): string {
  if (!ipaddr.isValid(address)) {
    return 'unknown';
  }
  const prefix = isIPv4(address) ? 24 : 48;
  const network = isIPv4(address)
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefix}`)
    : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefix}`);
  return `${network.toString()}/${prefix}`;
}
