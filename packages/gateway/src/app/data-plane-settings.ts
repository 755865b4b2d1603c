/** The data plane's part of a configuration; part of the composition root. */

import type { Config } from '../config/config.ts';
import type { BodyBounds } from '../http/body.ts';
import { type DataPlaneSettings, Destinations } from '../http/destination.ts';
import { rangeMatcher } from '../people/accounts/address-ranges.ts';

export const bodyBoundsOf = ({ limits, timeouts }: Config): BodyBounds => ({
  maxBytes: limits.bodyBytes,
  graceMs: timeouts.bodyGraceMs,
  bytesPerSecond: limits.bodyBytesPerSecond,
});

export const settingsOf = (config: Config): DataPlaneSettings => ({
  mounts: config.mounts,
  blobMount: config.blobs.mount,
  limits: config.limits,
  bodyBounds: bodyBoundsOf(config),
  timeouts: config.timeouts,
  sockets: config.sockets,
  corsOrigins: config.cors.origins,
  isTrustedProxy: rangeMatcher(config.listen.trustedProxies),
  finishReason: config.genai.finishReason,
});

export const destinationsOf = ({ mounts, limits }: Config): Destinations => new Destinations(mounts, limits.urlLength);
