/**
 * The only way to open a connection, under one of two policies. Operators configure the hosts of models and may name
 * private ones; callers name URLs, and reach public addresses only: every address a name resolves to is checked, the
 * checked address is the one dialled, and the peer address of the connection is checked once more.
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { trusting } from './trust.ts';

type Resolved = { readonly address: string; readonly family: number };
export type Resolve = (hostname: string) => Promise<readonly Resolved[]>;

export type DialPolicy =
  | { readonly by: 'operator' }
  | { readonly by: 'caller'; readonly mayReach: (address: string) => boolean; readonly resolve: Resolve };

/**
 * For clients that read a connection themselves: what arrives goes into a buffer and to a callback, and through no
 * stream.
 */
export type SocketReader = {
  readonly onread: { readonly buffer: Uint8Array; readonly callback: (bytes: number) => boolean };
  /** Session of an earlier TLS connection to this host. */
  readonly session: Buffer | undefined;
};

export type DialOptions = {
  readonly connectMs: number;
  readonly ca: readonly string[];
  readonly reader?: SocketReader;
};

/** Creates connectors; a port, so that tests can replace the network. */
export type Dialer = (options: DialOptions) => buildConnector.connector;

export const operatorDialer: Dialer = (options) => dialer({ by: 'operator' }, options);

class DialRefused extends Error {
  constructor() {
    super('the address may not be reached');
    this.name = 'DialRefused';
  }
}

export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

export function dialer(policy: DialPolicy, { connectMs, ca, reader }: DialOptions): buildConnector.connector {
  const common = {
    timeout: connectMs,
    ...trusting(ca),
    ...(reader !== undefined && { ...reader, allowH2: false }),
  };
  if (policy.by === 'operator') return buildConnector(common);
  const { mayReach } = policy;
  const connect = buildConnector({ ...common, lookup: guardedLookup(policy) });
  return (options, done) => {
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    // Names are checked when they are resolved; an IP address is never resolved.
    if (isIP(literal) !== 0 && !mayReach(literal)) {
      done(new DialRefused(), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) done(error, null);
      else if (mayReach(socket.remoteAddress ?? '')) done(null, socket);
      else {
        socket.destroy();
        done(new DialRefused(), null);
      }
    });
  };
}

/** One forbidden address refuses the whole name: no host has a public and a private address by accident. */
function guardedLookup({ mayReach, resolve }: Extract<DialPolicy, { by: 'caller' }>): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (first === undefined || !found.every(({ address }) => mayReach(address))) done(new DialRefused(), '', 0);
        else if (options.all === true) done(null, [{ ...first }]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    );
  };
}
