/** Options and interface of both clients for model providers. */
import type { Upstream } from '../kernel/upstream.ts';

export type UpstreamOptions = {
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
  readonly keepAliveMs: number;
  readonly proxy?: string;
  readonly ca: readonly string[];
};

export interface UpstreamClient extends Upstream {
  /** Requests under way, so that tests and metrics can detect leaks. */
  readonly open: number;
  close(): Promise<void>;
}
