import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Guard } from './create-guard.js';
import { OutboundError } from './outbound-error.js';
import type { ResolvedAddress } from './resolvers.js';

/** Connection of one request. */
export interface GuardedConnection {
  readonly agent: HttpAgent;
  /** Progress of the connection: from `open` on, bytes of the request may have left. */
  readonly phase: () => 'connecting' | 'securing' | 'open';
  /** Reason for which the guard ended the connection, or null. */
  readonly failure: () => OutboundError | null;
  readonly destroy: () => void;
}

/** Bounds of a connection. */
export interface ConnectOptions {
  readonly guard: Guard;
  readonly url: URL;
  /** Timeout of the name resolution, and again of the connection itself. */
  readonly connectTimeoutMs: number;
  /** Maximum of received bytes, headers, interim responses and chunk framing included. */
  readonly maxWireBytes: number;
}

// Happy eyeballs gives an address 250 ms by default, less than a round trip to the other side of the world takes.
const ADDRESS_ATTEMPT_MS = 1_000;

/**
 * Prepares the connection of one request: an agent that connects once, only to addresses that the guard has just
 * resolved and passed. It is never reused, so that no later DNS response can change its destination.
 */
export function connectGuarded({
  guard,
  url,
  connectTimeoutMs,
  maxWireBytes,
}: ConnectOptions): GuardedConnection {
  const secure = url.protocol === 'https:';
  const options = { keepAlive: false, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS };
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
  let phase: 'connecting' | 'securing' | 'open' = 'connecting';
  let failure: OutboundError | null = null;
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;

  const fail = (error: OutboundError): void => {
    failure ??= error;
    socket?.destroy(error);
  };
  const startTimer = (reason: 'dns' | 'connect'): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => fail(new OutboundError(reason, `no connection to ${url.host} in time`)),
      connectTimeoutMs,
    );
  };
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    startTimer('dns');
    const passOn = (addresses: readonly ResolvedAddress[]): void => {
      startTimer('connect');
      const [first] = addresses;
      if (all || !first) {
        callback(null, [...addresses]);
      } else {
        callback(null, first.address, first.family);
      }
    };
    guard.resolve(url).then(passOn, (error: OutboundError) => {
      failure ??= error;
      callback(error, []);
    });
  };

  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (given, onCreated) => {
    startTimer('connect');
    socket = connect({ ...given, lookup }, onCreated) as Socket;
    const opened = secure ? 'secureConnect' : 'connect';
    socket.once('connect', () => {
      clearTimeout(timer);
      if (secure) {
        phase = 'securing';
      }
    });
    socket.once(opened, () => {
      phase = 'open';
    });
    socket.once('close', () => clearTimeout(timer));
    let wireBytes = 0;
    socket.on('data', (chunk: Buffer) => {
      wireBytes += chunk.length;
      if (wireBytes > maxWireBytes) {
        fail(new OutboundError('too-large', `${url.host} sent too much`, { sent: true }));
      }
    });
    return socket;
  };

  return {
    agent,
    phase: () => phase,
    failure: () => failure,
    destroy: () => {
      clearTimeout(timer);
      socket?.destroy();
      agent.destroy();
    },
  };
}
