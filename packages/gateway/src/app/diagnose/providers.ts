/**
 * Configured providers: whether they are reachable, and whether they accept the credential. Requested like every other
 * call.
 */

import { replyErrorOf } from '../../calls/exchange/upstream-error.ts';
import type { Config, ProviderSettings } from '../../config/config.ts';
import { internalHostsOf, secretsOf } from '../../config/known-secrets.ts';
import type { CredentialVerdict } from '../../control/providers/ports.ts';
import { systemClock, systemTimer } from '../../kernel/clock.ts';
import { Timeouts } from '../../kernel/timeouts.ts';
import { upstreamRedactor } from '../../telemetry/redact.ts';
import { askStatus } from '../../upstream/ask-status.ts';
import { openUpstream } from '../../upstream/open-upstream.ts';
import { openSecrets, readProviderSecrets } from '../credentials/open-secrets.ts';
import { credentialTest } from '../credentials/test-credential.ts';
import type { Finding } from './finding.ts';

const TICK_MS = 250;
const REACH_LIMIT_MS = 10_000;

type Ports = Parameters<typeof credentialTest>[1];

type Report = (why: string, id: string) => Omit<Finding, 'check'>;

const FINDINGS: Readonly<Record<CredentialVerdict['verdict'], Report>> = {
  works: () => ({ status: 'ok', detail: 'reachable, credential accepted' }),
  refused: (why, id) => ({
    status: 'fail',
    detail: `the credential was refused${why}`,
    next: `check providers.${id}.credential with the provider's console`,
  }),
  unclear: (why, id) => ({
    status: 'warn',
    detail: `reachable, but the credential could not be tested${why}`,
    next: `if calls fail, check providers.${id}.baseUrl: the API version may be missing from its path`,
  }),
  unreachable: (why, id) => ({
    status: 'fail',
    detail: `no answer${why}`,
    next: `check providers.${id}.baseUrl, upstream.proxy, DNS and the firewall`,
  }),
  none: (_why, id) => ({
    status: 'warn',
    detail: 'no credential, so its models are not offered',
    next: `set providers.${id}.credential, such as env:NAME`,
  }),
};

/** ` (401): the provider's message`, as far as it is known. */
function whyOf({ status, error }: Pick<CredentialVerdict, 'status' | 'error'>): string {
  const code = error?.code ?? status;
  return `${code === null ? '' : ` (${code})`}${error === null ? '' : `: ${error.text}`}`;
}

/** An operator's own server that needs no credential: any answer will do. */
async function reach(config: Config, settings: ProviderSettings, ports: Ports): Promise<Omit<Finding, 'check'>> {
  const url = new URL(`${settings.own?.baseUrl ?? ''}/models`);
  const question = { origin: url.origin, path: url.pathname, headers: ['accept', 'application/json'] };
  const reply = await askStatus(ports.upstream, { ...question, waitMs: REACH_LIMIT_MS });
  const { failure } = reply;
  if (failure === undefined) return { status: 'ok', detail: 'reachable' };
  const redact = upstreamRedactor(secretsOf(config), internalHostsOf(config));
  const error = replyErrorOf(reply, failure.fault, failure.cause, redact);
  return FINDINGS.unreachable(whyOf({ status: null, error }), settings.id);
}

async function diagnoseProvider(config: Config, settings: ProviderSettings, ports: Ports): Promise<Finding> {
  const { id, credential, own } = settings;
  const check = `Provider ${id}`;
  if (credential === undefined && own !== undefined) return { check, ...(await reach(config, settings, ports)) };
  const found = await credentialTest(() => config, ports)(id, undefined);
  const { verdict } = found;
  // No list of models is known for it, so there is nothing to request.
  if (verdict === 'none' && credential !== undefined)
    return { check, status: 'ok', detail: 'credential given; this provider has nothing to test it with' };
  return { check, ...FINDINGS[verdict](whyOf(found), id) };
}

export async function diagnoseProviders(config: Config): Promise<readonly Finding[]> {
  const { connectMs, keepAliveMs } = config.timeouts;
  const { connectionsPerOrigin, ca, proxy } = config.upstream;
  const connections = { connectionsPerOrigin, connectMs, keepAliveMs, ca };
  const upstream = openUpstream({ ...connections, ...(proxy !== undefined && { proxy }) });
  const secrets = openSecrets(config);
  const { book } = secrets;
  const { held } = book;
  const timeouts = new Timeouts(systemTimer, TICK_MS);
  const ports = { upstream, clock: systemClock, timeouts, held, values: () => book.values };
  try {
    // A required one that cannot be read is a finding about its provider.
    await readProviderSecrets(secrets, config).catch(() => undefined);
    const providers = Object.values(config.providers);
    return await Promise.all(providers.map((settings) => diagnoseProvider(config, settings, ports)));
  } finally {
    await secrets.close();
    await upstream.close();
  }
}
