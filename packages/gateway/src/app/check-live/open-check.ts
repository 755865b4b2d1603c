/** A check of a host with all its dependencies; part of the composition root. */
import type { Json } from '@trivium/protocol/canonical';
import { type Config, ownProviders } from '../../config/config.ts';
import { internalHostsOf, secretsOf } from '../../config/known-secrets.ts';
import { tickEveryMs } from '../../config/sections/timeouts.ts';
import { systemClock, systemTimer } from '../../kernel/clock.ts';
import { Timeouts } from '../../kernel/timeouts.ts';
import { loadCatalogue } from '../../models/catalogue/load.ts';
import { buildDirectory } from '../../models/directory/build-directory.ts';
import { snapshotAt } from '../../models/directory/price-snapshot.ts';
import { listPathOf, offerUrl } from '../../models/providers/offer-url.ts';
import { providerSet } from '../../models/providers/provider-set.ts';
import { upstreamRedactor } from '../../telemetry/redact.ts';
import { openUpstream } from '../../upstream/open-upstream.ts';
import { Signers } from '../../upstream/signing/signers.ts';
import { openSecrets, readProviderSecrets } from '../credentials/open-secrets.ts';
import { ask } from './ask.ts';
import { type CheckPlan, type CheckResult, type CheckRow, type OnAnswer, planCheck, runCheck } from './check-live.ts';
import { type CheckedPlace, upstreamModelOf } from './media.ts';

export type LiveCheck = {
  readonly plan: CheckPlan;
  /** Removes every credential of the configuration from a text. */
  readonly redact: (text: string) => string;
  run(onRow?: (row: CheckRow) => void, onAnswer?: OnAnswer): Promise<CheckResult>;
  close(): Promise<void>;
};

export type LiveOptions = {
  readonly provider: string;
  readonly boundNanoUsd: bigint;
  /** Only these; default: all that the host serves. */
  readonly model?: string;
  readonly format?: string;
};

export async function openLiveCheck(config: Config, options: LiveOptions): Promise<LiveCheck> {
  const { provider, boundNanoUsd, model, format } = options;
  const host = config.providers[provider];
  if (host === undefined) throw new Error(`the configuration has no provider "${provider}"`);
  const { connectMs, keepAliveMs } = config.timeouts;
  const { connectionsPerOrigin, ca, proxy } = config.upstream;
  const upstream = openUpstream({
    connectionsPerOrigin,
    connectMs,
    keepAliveMs,
    ca,
    ...(proxy !== undefined && { proxy }),
  });
  const secrets = openSecrets(config);
  const close = async (): Promise<void> => {
    await secrets.close();
    await upstream.close();
  };
  try {
    await readProviderSecrets(secrets, config);
    const timeouts = new Timeouts(systemTimer, tickEveryMs(config.timeouts));
    const signers = new Signers({ upstream, clock: systemClock, timeouts, held: secrets.book.held });
    const providers = providerSet(ownProviders(config));
    const { snapshot } = await loadCatalogue({ knownProviders: providers.ids, overrides: config.catalogue });
    const directory = buildDirectory({
      catalogue: snapshotAt(snapshot, systemClock.nowMs()).snapshot,
      providers,
      hosts: { [provider]: host },
      aliases: {},
      auto: [],
      signerFor: signers.next(),
      videos: true,
    });
    const targets = directory.modelIds
      .flatMap((id): readonly CheckedPlace[] => {
        const entry = directory.find(id);
        return [...(entry?.targets ?? []), ...(entry?.imageTargets ?? []), ...(entry?.videoRoutes ?? [])];
      })
      .filter(({ modelId, dialect }) => (model ?? modelId) === modelId && (format ?? dialect.id) === dialect.id);
    if (targets.length === 0) throw new Error(`no model of ${provider} can be called with this configuration`);
    const plan = planCheck(targets, boundNanoUsd);
    const redact = upstreamRedactor([...secretsOf(config), ...secrets.book.values], internalHostsOf(config));
    return {
      plan,
      redact,
      close,
      run: async (onRow, onAnswer) => {
        const first = await modelList(targets);
        onRow?.(first);
        const found = await runCheck(plan, {
          upstream,
          boundNanoUsd,
          ...(onRow && { onRow }),
          ...(onAnswer && { onAnswer }),
        });
        return { ...found, rows: [first, ...found.rows] };
      },
    };

    async function modelList(all: readonly CheckedPlace[]): Promise<CheckRow> {
      // Other lists hold what is not asked for here, or are elsewhere.
      const ofText = all.filter(({ dialect }) => dialect.operation === 'text');
      const [target] = [...ofText, ...all] as [CheckedPlace, ...CheckedPlace[]];
      const about = { format: target.dialect.id, model: '', probe: 'models' as const };
      const plain = { ...about, differences: [], limitHeaders: [] };
      const offer = providers.offer(provider, target.dialect.id);
      const path = offer && listPathOf(offer);
      if (ofText.length === 0)
        return { ...plain, outcome: 'not asked', why: 'only lists of hosts of text are compared' };
      if (offer === undefined || path === undefined)
        return { ...plain, outcome: 'not asked', why: 'this host is known to list no models' };
      const url = new URL(
        offerUrl({ ...offer, path }, host ?? { variables: {} }, { upstreamModel: '', stream: false }),
      );
      const reply = await ask(upstream, target, { path: url.pathname + url.search });
      if ('fault' in reply) return { ...plain, outcome: 'failed', why: reply.fault.kind };
      const { status, limitHeaders } = reply;
      if (status !== 200) return { ...plain, outcome: 'failed', status, why: `status ${status}`, limitHeaders };
      const listed = idsIn(reply.text);
      if (listed === undefined) {
        const seen = 'neither `data` with ids nor `models` with names';
        return {
          ...plain,
          outcome: 'different',
          status,
          limitHeaders,
          differences: [{ kind: 'other type', at: 'models', seen }],
        };
      }
      // Names of our own catalogue, so they may be shown.
      const missing = [...new Set(ofText.map(upstreamModelOf))].filter((id) => !listed.has(id));
      const differences = missing.map((id) => ({
        kind: 'missing' as const,
        at: `models.${id}`,
        seen: 'not in the list',
      }));
      return { ...plain, outcome: missing.length > 0 ? 'different' : 'as known', status, limitHeaders, differences };
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** The ids of a list of any of the formats; undefined if it is none of them. */
function idsIn(text: string): ReadonlySet<string> | undefined {
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  const { data, models } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const list = data ?? models;
  if (!Array.isArray(list)) return undefined;
  const ids = (list as readonly Record<string, unknown>[]).flatMap((one) => {
    const id = one?.['id'] ?? one?.['name'];
    return typeof id === 'string' ? [id.replace(/^models\//, '')] : [];
  });
  return ids.length === 0 && list.length > 0 ? undefined : new Set(ids);
}
