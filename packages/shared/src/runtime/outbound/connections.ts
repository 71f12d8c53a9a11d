import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createSocketReader, getHostPort } from '../net/index.js';
import type { HostProxy } from './choose-proxy.js';
import { createChunkCounter } from './count-chunks.js';
import type { Guard, ResolvedAddress } from './guard.js';
import { createIdleConnections, type IdleConnections, type Link } from './idle-connections.js';
import { openTunnel } from './open-tunnel.js';
import { OutboundError } from './outbound-error.js';

/** Connection of one request. */
export interface Connection {
  readonly agent: HttpAgent;
  /** Progress of the connection: from `open` on, bytes of the request may have left. */
  readonly phase: () => 'connecting' | 'securing' | 'open';
  /** Reason for which the guard ended the connection, or null. */
  readonly failure: () => OutboundError | null;
  /** Notes how long the server keeps the connection, by its header `Keep-Alive`. */
  readonly noteTerm: (keepAlive: string | undefined) => void;
  /** Must be called at the end. Destroys the connection unless the exchange is whole: then it may be kept. */
  readonly end: (isWhole: boolean) => void;
}

/** Request that needs a connection, and its bounds. */
export interface ConnectionRequest {
  readonly url: URL;
  /** Maximum of received bytes, headers, interim responses and chunk framing included. */
  readonly maxWireBytes: number;
  /** Requests of other owners never get the connection; undefined: it is used once. */
  readonly owner: string | undefined;
  /** True if it must be known what became of the request: it gets no connection that its server may end meanwhile. */
  readonly isCostly: boolean;
  /** True if small chunks that come now and then are no fault: they keep the connection alive. */
  readonly takesKeepAlives: boolean;
}

type Open = HttpAgent['createConnection'];

/** Prepares the connection of a request. */
export type Connect = (request: ConnectionRequest) => Connection;

/** Dependencies of connections. */
export interface ConnectDeps {
  readonly guard: Guard;
  /** Timeout of the name resolution, and again of the connection itself. */
  readonly connectTimeoutMs: number;
  readonly proxy?: HostProxy | undefined;
}

// Happy eyeballs gives an address 250 ms by default, less than a round trip to the other side of the world takes.
const ADDRESS_ATTEMPT_MS = 1_000;
const READ_BYTES = 32 * 1024;
/** Calls may wait for minutes without a byte, and networks forget connections that are silent for a few. */
const KEEP_ALIVE_MS = 60_000;

/** Creates the function that connects requests, with its own idle connections. */
export function createConnect(deps: ConnectDeps): Connect {
  const idle = createIdleConnections();
  return (request) => connectGuarded({ ...deps, idle }, request);
}

/**
 * Prepares the connection of one request: an agent that connects once, only to addresses that the guard has just
 * resolved and passed. Later requests of its owner to the same host may use the connection, whatever its name resolves to by then.
 */
function connectGuarded(
  { guard, connectTimeoutMs, proxy, idle }: ConnectDeps & { readonly idle: IdleConnections },
  { url, maxWireBytes, owner, isCostly, takesKeepAlives }: ConnectionRequest,
): Connection {
  const secure = url.protocol === 'https:';
  const options = { keepAlive: owner !== undefined, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS };
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
  const name = `${url.origin} ${owner}`;
  let phase: 'connecting' | 'securing' | 'open' = 'connecting';
  let failure: OutboundError | null = null;
  let link: Link | undefined;
  let timer: NodeJS.Timeout | undefined;
  let serverMs: number | null = null;
  let isOver = false;
  /** Of a connection through a proxy. */
  let tunnelling: AbortController | undefined;

  const fail = (error: OutboundError): void => {
    failure ??= error;
    tunnelling?.abort();
    link?.socket.destroy(error);
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

  let wireBytes = 0;
  const countChunks = createChunkCounter({ takesKeepAlives });
  const count = (bytes: Buffer): boolean => {
    wireBytes += bytes.length;
    if (wireBytes > maxWireBytes) {
      fail(new OutboundError('too-large', `${url.host} sent too much`, { sent: true }));
      return false;
    }
    if (!countChunks(bytes)) {
      fail(new OutboundError('fragmented', `${url.host} sent too many small chunks`, { sent: true }));
      return false;
    }
    return true;
  };
  const adopt = (socket: Socket): Link => {
    const made: Link = { socket, receive: count };
    link = made;
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      if (secure) {
        phase = 'securing';
      }
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      phase = 'open';
    });
    socket.once('close', () => clearTimeout(timer));
    // Between requests nobody else listens.
    socket.on('error', () => undefined);
    socket.once('end', () => made.receive ?? socket.destroy());
    return made;
  };
  const connect = agent.createConnection.bind(agent);
  const openDirectly: Open = (given, onCreated) => {
    startTimer('connect');
    const pass = (bytes: Buffer): boolean => {
      const isTaken = receive(made, bytes);
      if (isTaken) {
        // The HTTP parser copies what it keeps.
        made.socket.emit('data', bytes);
      }
      return isTaken;
    };
    const own = { lookup, onread: createSocketReader(READ_BYTES, pass) };
    const made = adopt(connect({ ...given, ...own }, onCreated) as Socket);
    return made.socket;
  };
  const openThroughProxy = async ({ url: proxyUrl }: HostProxy): Promise<Socket> => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0) {
      startTimer('dns');
      await guard.resolve(url);
    }
    startTimer('connect');
    tunnelling = new AbortController();
    const tunnel = await openTunnel(proxyUrl, url, tunnelling.signal);
    phase = 'securing';
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connectTls({ ...name, host, socket: tunnel, ALPNProtocols: ['http/1.1'] });
    const made = adopt(socket);
    socket.on('data', (bytes: Buffer) => void receive(made, bytes));
    return socket;
  };
  const open: Open = (given, onCreated) => {
    if (proxy?.hostPort !== getHostPort(url)) {
      return openDirectly(given, onCreated);
    }
    openThroughProxy(proxy).then(
      (socket) => onCreated?.(null, socket),
      (error: OutboundError) => {
        failure ??= error;
        onCreated?.(error, undefined as never);
      },
    );
    return undefined;
  };
  agent.createConnection = (given, onCreated) => {
    if (owner === undefined || !idle.has(name)) {
      return open(given, onCreated);
    }
    void idle.take(name, isCostly).then((kept) => {
      if (isOver) {
        kept?.socket.destroy();
        onCreated?.(new Error('the request is over'), undefined as never);
      } else if (kept) {
        link = kept;
        phase = 'open';
        kept.receive = count;
        onCreated?.(null, kept.socket);
      } else {
        const socket = open(given, onCreated);
        if (socket) {
          onCreated?.(null, socket);
        }
      }
    });
    return undefined;
  };
  if (owner !== undefined) {
    // The store keeps what the agent would keep.
    agent.removeAllListeners('free').on('free', (socket: Socket) => {
      socket.emit('agentRemove');
      if (link?.socket !== socket) {
        socket.destroy();
        return;
      }
      link.receive = null;
      idle.put(name, link, serverMs);
      link = undefined;
    });
  }

  return {
    agent,
    phase: () => phase,
    failure: () => failure,
    noteTerm: (keepAlive) => {
      const [, seconds] = /(?:^|[\s,;])timeout=(\d{1,6})/i.exec(keepAlive ?? '') ?? [];
      serverMs = seconds === undefined ? null : Number(seconds) * 1_000;
    },
    end: (isWhole) => {
      isOver = true;
      clearTimeout(timer);
      tunnelling?.abort();
      if (!isWhole || owner === undefined) {
        link?.socket.destroy();
        agent.destroy();
      }
    },
  };
}

/** Passes bytes to the request that has the connection; a server that speaks without one is not trusted with another. */
function receive(link: Link, bytes: Buffer): boolean {
  if (link.receive) {
    return link.receive(bytes);
  }
  link.socket.destroy();
  return false;
}
