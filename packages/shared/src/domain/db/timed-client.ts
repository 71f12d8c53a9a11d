import type { EventEmitter } from 'node:events';
import net from 'node:net';
import pg from 'pg';

/** Parts of the driver's client that its types leave out. */
interface Internals {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: EventEmitter & { readonly stream: net.Socket };
}

/** Message in which a server, or a pooler, says what a setting is now. */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

type Callback = (error: Error | null, result?: unknown) => void;

/** Code of a request to cancel, in PostgreSQL's protocol. */
const CANCEL_REQUEST = 80_877_102;
const CANCEL_TIMEOUT_MS = 2_000;

/** Clients that have sent a request to cancel: it may arrive late and hit another statement, so their connections are not used again. */
const canceled = new WeakSet<pg.ClientBase>();

/** Says whether a statement of this client was to be ended. */
export function wasCanceled(client: pg.ClientBase): boolean {
  return canceled.has(client);
}

/** Settings that the sessions of clients have reported. */
const reports = new WeakMap<pg.ClientBase, Record<string, string>>();

/** Returns the settings that PostgreSQL reports by itself, as they are now in the session of this client. */
export function getReportedSettings(client: pg.ClientBase): Readonly<Record<string, string>> {
  return reports.get(client) ?? {};
}

/**
 * Returns a client of the driver that asks the server to end each statement which takes longer. So a statement ends in time also
 * where the role has no timeout, or a longer one. The server answers as after a timeout of its own, with 57014.
 */
export function createTimedClient(statementTimeoutMs: number): typeof pg.Client {
  return class TimedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const reported: Record<string, string> = {};
      reports.set(this, reported);
      const { connection } = this as unknown as Internals;
      connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
        reported[parameterName] = parameterValue;
      });
    }

    override query(...args: unknown[]): never {
      let isAnswered = false;
      const cancel = (): void => {
        if (!isAnswered) {
          canceled.add(this);
          cancelStatement(this as unknown as Internals);
        }
      };
      // An answer that has arrived is read first, however late this process is.
      const timer = setTimeout(() => setImmediate(cancel), statementTimeoutMs);
      const stop = (): void => {
        isAnswered = true;
        clearTimeout(timer);
      };
      const last = args.at(-1);
      if (typeof last === 'function') {
        const callback = last as Callback;
        args[args.length - 1] = (error: Error | null, result?: unknown): void => {
          stop();
          callback(error, result);
        };
      }
      const query = super.query as (...all: unknown[]) => unknown;
      const answer = query.apply(this, args);
      if (answer instanceof Promise) {
        answer.then(stop, stop);
      }
      return answer as never;
    }
  };
}

/**
 * Asks the server, or the pooler, behind a connection to end what runs there. The request goes without TLS, as libpq sent it for
 * decades: it holds no secret beside a key that is good for this only.
 */
function cancelStatement({ processID, secretKey, connection }: Internals): void {
  const { remoteAddress, remotePort } = connection.stream;
  if (processID === null || secretKey === null || remoteAddress === undefined || remotePort === undefined) {
    return;
  }
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = net.connect({ host: remoteAddress, port: remotePort });
  socket.unref();
  // Without success the client gives the connection up a little later.
  socket.on('error', () => undefined);
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  // The server closes the connection; PgBouncer drops a request whose sender has gone before.
  socket.write(request);
  socket.resume();
}
