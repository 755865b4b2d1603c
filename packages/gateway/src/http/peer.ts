/**
 * The address of the caller: the peer of the connection, or what trusted proxies report. Headers of any other peer are
 * ignored, so that a caller cannot choose its address.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export type IsTrustedProxy = (address: string) => boolean;

/** More proxies than this in a row are taken for a mistake. */
const MAX_HOPS = 32;
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** Some proxies add the port: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
const plainHop = (text: string): string => {
  if (isIP(text) !== 0) return text;
  const [, v6, v4] = WITH_PORT.exec(text) ?? [];
  const address = v6 ?? v4 ?? '';
  return isIP(address) === 0 ? '' : address;
};

const peerOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';

/**
 * The nearest address that is not a trusted proxy. A trusted peer without `X-Forwarded-For` is the caller itself; an
 * invalid hop gives an empty address, which is in no range.
 */
export function callerAddress(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  const peer = peerOf(request);
  if (!isTrusted(peer)) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined) return peer;
  // Node joins repeated header lines in their order.
  const hops = String(forwarded).split(',', MAX_HOPS + 1);
  if (hops.length > MAX_HOPS) return '';
  let address = peer;
  for (const hop of hops.reverse()) {
    address = plainHop(hop.trim());
    if (!isTrusted(address)) return address;
  }
  return address;
}

/** The scheme the caller used to reach the outermost trusted proxy, for links that lead back here. */
export function callerScheme(request: IncomingMessage, isTrusted: IsTrustedProxy): 'http' | 'https' {
  if ('encrypted' in request.socket) return 'https';
  return request.headers['x-forwarded-proto'] === 'https' && isTrusted(peerOf(request)) ? 'https' : 'http';
}
