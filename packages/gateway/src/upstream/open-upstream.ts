/** Direct connections use the gateway's own client; connections through a proxy use undici. */
import { SocketUpstream } from './socket-upstream.ts';
import { UndiciUpstream } from './undici-upstream.ts';
import type { UpstreamClient, UpstreamOptions } from './upstream-client.ts';

export const openUpstream = (options: UpstreamOptions): UpstreamClient =>
  options.proxy === undefined ? new SocketUpstream(options) : new UndiciUpstream(options);
