/** The admin API with everything it stands on; part of the composition root. */
import { GatewayError } from '@trivium/protocol/canonical';
import { rangeMatcher } from '../accounts/address-ranges.ts';
import { type AdminApi, createAdminApi } from '../admin/admin-api.ts';
import { makeFirstSecret, operatorCheck } from '../admin/operator.ts';
import type { UsagePort } from '../admin/price-port.ts';
import { AdminProblem, notFound } from '../admin/problem.ts';
import { type Config, jsonBoundsOf } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { signedEvents } from '../payments/signed-events.ts';
import type { Backing } from '../store/postgres/backing.ts';
import type { Log } from '../telemetry/log.ts';
import type { UsageReports } from '../usage/reports.ts';
import { creditIn } from './open-ledger.ts';
import { webhooksPort } from './open-webhooks.ts';
import type { Services } from './services.ts';
import type { StoredHosts } from './stored-hosts.ts';
import type { StoredPrices } from './stored-prices.ts';
import { credentialTest } from './test-credential.ts';

export async function openAdminApi(
  backing: Backing,
  hosts: StoredHosts,
  prices: StoredPrices,
  services: Services,
  log: Log,
  showFirstSecret: ((secret: string) => void) | undefined,
): Promise<AdminApi> {
  const { upstream, timeouts, operations } = services;
  if (operations === undefined) throw new Error('the admin API needs a database');
  const config = (): Config => services.config;
  if (config().admin.secretHash === undefined && showFirstSecret !== undefined)
    await makeFirstSecret(backing.store, showFirstSecret);
  return createAdminApi({
    store: backing.store,
    money: creditIn(backing),
    keys: backing.keys,
    tell: (message) => backing.tell(message),
    isTrustedProxy: (address) => rangeMatcher(config().listen.trustedProxies)(address),
    isOperator: operatorCheck(backing.store, () => config().admin.secretHash),
    hosts,
    testCredential: credentialTest(config, { upstream, clock: systemClock, timeouts }),
    prices,
    usage: usageIn(services.usage.reports),
    payments: (provider) => {
      const secrets = config().payments.get(provider);
      return secrets && signedEvents(provider, secrets);
    },
    webhooks: webhooksPort(config),
    operations: operations.store,
    jsonBounds: () => jsonBoundsOf(config()),
    log,
    nowMs: systemClock.nowMs,
  });
}

/** What is wrong with a question is said as the admin API says it. */
function usageIn(reports: UsageReports): UsagePort {
  const told = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { kind, message, field } = error.fault;
      throw kind === 'unknown-operation' ? notFound('Request') : new AdminProblem('invalid', message, field);
    }
  };
  return {
    sums: (accountId, query) => told(async () => reports.usage(accountId, query)),
    one: (accountId, requestId) => told(() => reports.generation(accountId, requestId)),
  };
}
