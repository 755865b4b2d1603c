/** A host that could serve a request: its facts, the constraints of a request, and the reasons to leave it out. */

import type { Factor, Strategy } from '@trivium/protocol/canonical';
import type { RouteFacts } from '../../kernel/route.ts';

export type RouteCandidate = { readonly provider: string; readonly routeKey: string; readonly route: RouteFacts };

export type PlanPreferences = Fence & {
  readonly strategy?: Strategy | undefined;
  readonly factor?: Factor | undefined;
  /** Only these hosts, in this order unless strategy or factor gives another. */
  readonly providers?: readonly string[] | undefined;
  /** Tried before all others, in this order, whatever else orders them. */
  readonly first?: readonly string[] | undefined;
  /** Shares of first calls by host; they replace what else orders hosts, but for `first`. */
  readonly weights?: ReadonlyMap<string, number> | undefined;
  /** What the shares draw by, at least 0 and below 1; absent: by chance. */
  readonly weightsDraw?: number | undefined;
  /** A host that is called after all others, whatever else orders them. */
  readonly last?: string | undefined;
  /** `true` (the default), `false`, or the one host to fall back to. */
  readonly fallback?: string | undefined;
};

export type Fence = {
  readonly providers?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly maxPrice?: PriceCeiling | undefined;
  readonly noTraining?: boolean | undefined;
  /** Most days a host may keep what it is sent. */
  readonly retentionDays?: number | undefined;
  readonly regions?: readonly string[] | undefined;
};

/** By the catalogue's prices, in USD per million tokens. */
export type PriceCeiling = { readonly promptUsdPerMillion?: number; readonly completionUsdPerMillion?: number };
