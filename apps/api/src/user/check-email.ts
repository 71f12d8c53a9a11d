import { domainToASCII } from 'node:url';
import { isUniqueViolation } from '@image-gateway/shared/db/database';
import { AppError } from '@image-gateway/shared/errors';
import { isStorable } from '@image-gateway/shared/validation';
import Joi from 'joi';

const MAX_LENGTH = 254;
const schema = Joi.string().email({ tlds: false }).max(MAX_LENGTH).required();

/**
 * Returns the one form of an e-mail address: without surrounding white space, in lower case, its domain as browsers send it
 * (`xn--…`). Returns null for what is no address. Everything that makes a user or looks for one uses this form.
 */
export function normalizeEmail(text: string): string | null {
  const given = text.trim().normalize('NFC').toLowerCase();
  if (!isStorable(given) || schema.validate(given).error) {
    return null;
  }
  const at = given.lastIndexOf('@');
  const domain = domainToASCII(given.slice(at + 1));
  const email = `${given.slice(0, at)}@${domain}`;
  return domain === '' || email.length > MAX_LENGTH ? null : email;
}

/** Returns the one form of an e-mail address; throws AppError `VALIDATION_ERROR` for a bad one. */
export function checkEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === null) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `"${text.slice(0, MAX_LENGTH).toWellFormed()}" is not a valid e-mail address.`,
    });
  }
  return email;
}

/**
 * Lists the forms that the address of a user may have in the database, the present one first. Earlier versions kept domains as
 * they were typed.
 */
export function listEmailForms(text: string): readonly string[] {
  const email = normalizeEmail(text);
  const typed = text.trim().toLowerCase();
  return email === null || email === typed ? [typed] : [email, typed];
}

/**
 * Returns the mailbox that an address leads to, by which mails and gifts are counted: without its `+tag`. Other spellings of
 * one mailbox, such as dots, are unknown here.
 */
export function toMailbox(text: string): string {
  return (listEmailForms(text)[0] ?? '').replace(/\+[^@]*(?=@[^@]*$)/, '');
}

/** Refusal of an e-mail address that another account or user has: `BAD_REQUEST`. */
export class EmailTakenError extends AppError {
  constructor(email: string) {
    super('BAD_REQUEST', { publicMessage: `The e-mail address ${email} is already in use.` });
  }
}

/** Runs a statement that gives an address to an account or a user. Throws EmailTakenError where another one has it. */
export async function takeEmail<T>(email: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isTaken = ['accounts_email_key', 'auth_users_email_key'].some((index) =>
      isUniqueViolation(error, index),
    );
    throw isTaken ? new EmailTakenError(email) : error;
  }
}
