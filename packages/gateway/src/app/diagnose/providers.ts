/** Configured providers: whether they can be reached, and whether they take the credential. Asked as every other call is. */
import type { CredentialVerdict } from '../../admin/route.ts';
import type { Config, ProviderSettings } from '../../config/config.ts';
import { systemClock, systemTimer } from '../../kernel/clock.ts';
import { Timeouts } from '../../kernel/timeouts.ts';
import { askStatus } from '../../upstream/ask-status.ts';
import { openUpstream } from '../../upstream/open-upstream.ts';
import { credentialTest } from '../test-credential.ts';
import type { Finding } from './finding.ts';

const TICK_MS = 250;
const REACH_LIMIT_MS = 10_000;

type Ports = Parameters<typeof credentialTest>[1];

const FINDINGS: Readonly<Record<CredentialVerdict['verdict'], (status: string, id: string) => Omit<Finding, 'check'>>> =
  {
    works: () => ({ status: 'ok', detail: 'reachable, credential accepted' }),
    refused: (status, id) => ({
      status: 'fail',
      detail: `the credential was refused${status}`,
      next: `check providers.${id}.credential with the provider's console`,
    }),
    unclear: (status, id) => ({
      status: 'warn',
      detail: `reachable, but the credential could not be tested${status}`,
      next: `if calls fail, check providers.${id}.baseUrl: the API version may be missing from its path`,
    }),
    unreachable: (_status, id) => ({
      status: 'fail',
      detail: 'no answer',
      next: `check providers.${id}.baseUrl, upstream.proxy, DNS and the firewall`,
    }),
    none: (_status, id) => ({
      status: 'warn',
      detail: 'no credential, so its models are not offered',
      next: `set providers.${id}.credential, such as env:NAME`,
    }),
  };

/** A server of the operator's own that asks for no credential: any answer will do. */
async function reach(settings: ProviderSettings, ports: Ports): Promise<Omit<Finding, 'check'>> {
  const url = new URL(`${settings.own?.baseUrl ?? ''}/models`);
  const question = { origin: url.origin, path: url.pathname, headers: ['accept', 'application/json'] };
  const status = await askStatus(ports.upstream, { ...question, waitMs: REACH_LIMIT_MS });
  return status === undefined ? FINDINGS.unreachable('', settings.id) : { status: 'ok', detail: 'reachable' };
}

async function diagnoseProvider(config: Config, settings: ProviderSettings, ports: Ports): Promise<Finding> {
  const { id, credential, own } = settings;
  const check = `Provider ${id}`;
  if (credential === undefined && own !== undefined) return { check, ...(await reach(settings, ports)) };
  const { verdict, status } = await credentialTest(() => config, ports)(id, undefined);
  // No list of models is known for it, so there is nothing to ask.
  if (verdict === 'none' && credential !== undefined)
    return { check, status: 'ok', detail: 'credential given; this provider has nothing to test it with' };
  return { check, ...FINDINGS[verdict](status === null ? '' : ` (${status})`, id) };
}

export async function diagnoseProviders(config: Config): Promise<readonly Finding[]> {
  const { connectMs, keepAliveMs } = config.timeouts;
  const { connectionsPerOrigin, ca, proxy } = config.upstream;
  const connections = { connectionsPerOrigin, connectMs, keepAliveMs, ca };
  const upstream = openUpstream({ ...connections, ...(proxy !== undefined && { proxy }) });
  const ports = { upstream, clock: systemClock, timeouts: new Timeouts(systemTimer, TICK_MS) };
  try {
    const providers = Object.values(config.providers);
    return await Promise.all(providers.map((settings) => diagnoseProvider(config, settings, ports)));
  } finally {
    await upstream.close();
  }
}
