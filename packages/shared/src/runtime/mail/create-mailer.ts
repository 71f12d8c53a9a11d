import type { Transporter } from 'nodemailer';

/** Mail to one address, in both forms. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mail by SMTP. */
export interface Mailer {
  /** Resolves when the server has taken the mail; rejects when it refuses it or does not answer in time. */
  readonly send: (mail: Mail) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Server and sender. */
export interface MailerOptions {
  /** SMTP_URL: `smtp://` (STARTTLS where the server offers it) or `smtps://`, with user and password. */
  readonly url: string;
  /** MAIL_FROM, such as `Gateway <no-reply@example.com>`. */
  readonly from: string;
}

const CONNECT_MS = 10_000;
const SOCKET_MS = 20_000;

/** Creates a mailer, which loads its library and opens connections when they are needed. */
export function createMailer({ url, from }: MailerOptions): Mailer {
  let opening: Promise<Transporter> | undefined;
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    const options = {
      url,
      pool: true,
      maxConnections: 2,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SOCKET_MS,
      // Nothing of a mail is read from a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<typeof createTransport>[0];
    return createTransport(options, { from });
  };
  return {
    send: async ({ to, subject, text, html }) => {
      opening ??= open();
      await (await opening).sendMail({ to: { name: '', address: to }, subject, text, html });
    },
    close: async () => (await opening)?.close(),
  };
}
