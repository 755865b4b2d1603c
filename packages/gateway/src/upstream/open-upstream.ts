/** Direct connections are our own client's; a proxy is undici's business. */
import { SocketUpstream } from './socket-upstream.ts';
import { UndiciUpstream } from './undici-upstream.ts';
import type { UpstreamClient, UpstreamOptions } from './upstream-client.ts';

export const openUpstream = (options: UpstreamOptions): UpstreamClient =>
  options.proxy === undefined ? new SocketUpstream(options) : new UndiciUpstream(options);
