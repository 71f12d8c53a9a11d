import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** SMTP server on loopback that keeps what it takes. */
export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly mails: ParsedMail[];
  /** Refuses mails from now on while it is true. */
  refuses: boolean;
  readonly close: () => Promise<void>;
}

/** Starts an SMTP server that asks for a log-in. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ParsedMail[] = [];
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === 'gateway' && password === 'mail-pass'
        ? callback(null, { user: username })
        : callback(new Error('wrong log-in')),
    onData: (stream, _session, callback) => {
      simpleParser(stream).then((mail) => {
        if (state.refuses) {
          callback(new Error('try again later'));
          return;
        }
        mails.push(mail);
        callback();
      }, callback);
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.server.address() as AddressInfo;
  const state: MailServer = {
    url: `smtp://gateway:mail-pass@127.0.0.1:${port}`,
    port,
    mails,
    refuses: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return state;
}
