/** What both clients of model providers take and offer. */
import type { Upstream } from '../kernel/upstream.ts';

export type UpstreamOptions = {
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
  readonly keepAliveMs: number;
  readonly proxy?: string;
  readonly ca: readonly string[];
};

export interface UpstreamClient extends Upstream {
  /** Requests under way, so that tests and metrics can see that none is forgotten. */
  readonly open: number;
  close(): Promise<void>;
}
