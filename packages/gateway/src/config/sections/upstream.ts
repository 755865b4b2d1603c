// `upstream`, `retries`, `health` and `hedging`: connections to upstream hosts, and what happens when one fails. Read,
// the proxy's URL and the PEM texts of `ca` are resolved.

import { X509Certificate } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { parseHttpUrl } from '../reading/urls.ts';
import { type Building, count, flag, integer, list, MIB, milliseconds, optionalInteger, section } from './parts.ts';

export const upstreamSchema = section(
  {
    proxy: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'HTTP proxy all upstream calls go through: an http(s) URL, or a reference to one.',
      }),
    ),
    ca: list(
      Type.String({ minLength: 1, maxLength: MIB }),
      64,
      [],
      'Further certificate authorities to trust: `file:/path/ca.pem`, `env:NAME` or a PEM text.',
    ),
    connectionsPerOrigin: optionalInteger(
      1,
      1_000_000,
      'Most connections open to one upstream origin. Without it as many as `limits.inFlight`: with fewer, admitted requests wait for a connection.',
    ),
    allowInsecure: flag(
      false,
      'Allow plain `http` to hosts outside loopback, private addresses and single-label names. Credentials are then sent unencrypted.',
    ),
  },
  'Connections to upstream hosts.',
);

export const retriesSchema = section(
  {
    maxAttempts: integer(1, 3, 3, 'Most upstream attempts for one request, the first included.'),
    budgetPercent: integer(
      0,
      200,
      10,
      'Retry budget of a provider, in percent of the requests that began there; a small floor is always allowed. 200 is practically no limit. Going to another provider does not spend it.',
    ),
    budgetSaved: count(100, 'Most retries the budget of a provider saves up.'),
    failoverReserve: count(
      20,
      'Failovers that may fail at a provider before further ones spend the retry budget of the provider they come from; each answered one gives one back. A provider that answers receives any number.',
    ),
    backoffMs: milliseconds(
      250,
      'Longest pause before the first retry at the same host; exponential backoff with jitter: doubled each time.',
    ),
    maxWaitMs: milliseconds(2_000, 'Longest pause of all. A host that demands a longer one is not retried.'),
  },
  'Retries and failover after a failed attempt. Another host is tried at once, the same one only after a pause.',
);

export const healthSchema = section(
  {
    failures: count(5, 'Consecutive failures, under any credential, that open the circuit of a host for one model.'),
    stalls: count(3, 'Consecutive timeouts that do.'),
    outMs: milliseconds(10_000, 'How long it is open the first time; doubled each further time in a row.'),
    maxOutMs: milliseconds(60_000, 'How long at most.'),
  },
  'Circuit breaking: when a host is taken out of service. If all hosts of a model are, they are tried anyway.',
);

export const hedgingSchema = section(
  {
    maxPercent: integer(0, 100, 10, 'Most second requests, in percent of the requests with hedging.'),
  },
  'Hedging: a second request to another host when the first token is late. Only for requests and keys that enable it.',
);

const isCertificate = (pem: string): boolean => {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
};

type UpstreamData = Static<typeof upstreamSchema>;

/** `inFlight` connections are enough for all admitted requests, so that none waits for one. */
export const buildUpstream = (
  data: UpstreamData,
  inFlight: number,
  building: Building,
): UpstreamData & { readonly connectionsPerOrigin: number } => {
  const ca = data.ca.flatMap((text, index) => {
    const path = ['upstream', 'ca', index];
    const pem = building.secret(text, path);
    if (pem !== undefined && !isCertificate(pem)) building.report(path, 'is not a certificate in PEM form');
    return pem === undefined ? [] : [pem];
  });
  const proxy = data.proxy === undefined ? undefined : building.secret(data.proxy, ['upstream', 'proxy']);
  if (proxy !== undefined && parseHttpUrl(proxy) === undefined)
    building.report(['upstream', 'proxy'], 'must be an http or https URL');
  return {
    ca,
    connectionsPerOrigin: data.connectionsPerOrigin ?? inFlight,
    allowInsecure: data.allowInsecure,
    ...(proxy === undefined ? {} : { proxy }),
  };
};
