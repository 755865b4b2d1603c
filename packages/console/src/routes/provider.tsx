/** One provider: its health, its credential, its models and their circuits. */

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useGet } from '../api/use-api.ts';
import { formatCount } from '../format/numbers.ts';
import { triviumLine } from '../format/shell.ts';
import { formatTick } from '../format/when.ts';
import { locale, msg, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, readForms } from '../parts/base/copy.tsx';
import { Crumbs, type Fact, Facts, LoadedPage, PageFrame, Panel } from '../parts/page/page.tsx';
import { Duration, Id, When } from '../parts/values/values.tsx';
import { useZone } from '../state/preferences.ts';
import { ForgetCredential, SetCredential, TestCredential } from './providers/credential.tsx';
import { type Health, healthCells } from './providers/history.ts';
import { CredentialTag, ErrorShare, ProviderHealth, SOURCE_NAMES } from './providers/names.tsx';
import styles from './providers/providers.module.css';
import { ReleaseCircuits } from './providers/release.tsx';
import { Targets } from './providers/targets.tsx';

type Provider = Schemas['ProviderDetail'];

const REFRESH_MS = 10_000;

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <LoadedPage of={useGet('/admin/v1/providers/{id}', { path: { id } }, { refreshMs: REFRESH_MS })} title={id}>
      {(provider) => <ProviderPage key={id} provider={provider} />}
    </LoadedPage>
  );
}

type Credential = Provider['credentials'][number];

/** Temporary credentials: when they are renewed, and why they could not be. Secrets of stores: when they were last read. */
function renewalFacts({ position, renewal, identity }: Credential): Fact[] {
  if (renewal === null) return [];
  const { issuedAt, renewsAt, failure } = renewal;
  if (identity?.includes('/'))
    return [
      [t('Secret {position} last read', { position }), <When key={`read-${position}`} at={issuedAt} />],
      ...(failure === null ? [] : [[t('Last lookup failed'), failure] as const]),
    ];
  return [
    [t('Temporary credential {position} from', { position }), <When key={`issued-${position}`} at={issuedAt} />],
    [t('Renewed after'), <When key={`renews-${position}`} at={renewsAt} />],
    ...(failure === null ? [] : [[t('Last renewal failed'), failure] as const]),
  ];
}

type Doing = { readonly what: 'set' | 'forget' } | { readonly what: 'release'; readonly model: string | undefined };

function ProviderPage({ provider }: { readonly provider: Provider }) {
  const { id, displayName, openCircuits, storedAt } = provider;
  const [doing, setDoing] = useState<Doing>();
  const close = (): void => setDoing(undefined);
  return (
    <PageFrame
      title={displayName}
      heading={
        <Crumbs section={t('Providers')} to="/providers" title={displayName}>
          {id !== displayName && <Id text={id} />}
          <ProviderHealth {...provider} />
        </Crumbs>
      }
      actions={
        <>
          <CopyAs
            forms={readForms(`/admin/v1/providers/${encodeURIComponent(id)}`, triviumLine(['providers', 'show', id]))}
          />
          {openCircuits > 0 && (
            <Button kind="primary" onClick={() => setDoing({ what: 'release', model: undefined })}>
              {t('Bring all back')}
            </Button>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [t('Base URL'), <Id key="origins" text={provider.origins.join(', ') || '–'} />],
          [t('Callable models'), formatCount(provider.models, locale())],
          [t('Circuits open'), formatCount(openCircuits, locale())],
          [t('Failed, 24 h'), <ErrorShare key="errors" {...provider} />],
          [t('First content, p50'), <Duration key="p50" ms={provider.p50Ms} />],
          [t('First content, p95'), <Duration key="p95" ms={provider.p95Ms} />],
          [t('Last success'), <When key="success" at={provider.lastSuccessAt} />],
          [t('Last failure'), <When key="failure" at={provider.lastFailureAt} />],
          [
            t('Retries left, of this process'),
            t('{left} of {max}', {
              left: formatCount(Math.floor(provider.retryBudget.left), locale()),
              max: formatCount(provider.retryBudget.max, locale()),
            }),
          ],
        ]}
      />
      <HealthStrip history={provider.history} />
      <Panel
        title={t('Credential')}
        actions={
          <div className={styles['verdict']}>
            <Button onClick={() => setDoing({ what: 'set' })}>
              {storedAt === null ? t('Store a credential') : t('Replace')}
            </Button>
            {storedAt !== null && (
              <Button kind="danger" onClick={() => setDoing({ what: 'forget' })}>
                {t('Forget')}
              </Button>
            )}
          </div>
        }
      >
        <Facts
          facts={[
            [t('Used now'), <CredentialTag key="source" {...provider} />],
            [t('Stored'), <When key="stored" at={storedAt} />],
            [
              t('In the order they are tried in'),
              provider.credentials
                .map(({ position, source, identity }) => `${position} ${identity ?? t(SOURCE_NAMES[source])}`)
                .join(', ') || '–',
            ],
            ...provider.credentials.flatMap(renewalFacts),
          ]}
        />
        <div className={styles['verdict']}>
          <TestCredential provider={provider} />
        </div>
      </Panel>
      <Panel title={t('Models and circuits')}>
        <Targets targets={provider.targets} onRelease={(model) => setDoing({ what: 'release', model })} />
      </Panel>
      {doing?.what === 'set' && <SetCredential provider={provider} onClose={close} />}
      {doing?.what === 'forget' && <ForgetCredential provider={provider} onClose={close} />}
      {doing?.what === 'release' && <ReleaseCircuits provider={provider} model={doing.model} onClose={close} />}
    </PageFrame>
  );
}

const HEALTH_NAMES: Readonly<Record<Health, string>> = {
  none: msg('no attempts'),
  ok: msg('ok'),
  some: msg('some failed'),
  out: msg('all failed'),
};

function HealthStrip({ history }: { readonly history: Provider['history'] }) {
  const zone = useZone();
  const cells = healthCells(history);
  const ok = cells.reduce((sum, cell) => sum + cell.ok, 0);
  const failed = cells.reduce((sum, cell) => sum + cell.failed, 0);
  const label = t('{ok} answered, {failed} failed', {
    ok: formatCount(ok, locale()),
    failed: formatCount(failed, locale()),
  });
  if (cells.length === 0) return null;
  return (
    <Panel title={t('Attempts, last 24 hours')}>
      <div className={styles['strip']} role="img" aria-label={label}>
        {cells.map((cell) => (
          <i
            key={cell.at}
            data-health={cell.health}
            title={`${formatTick(cell.at, 0, zone, locale())} · ${t(HEALTH_NAMES[cell.health])} · ${t('{ok} answered, {failed} failed', { ok: cell.ok, failed: cell.failed })}`}
          />
        ))}
      </div>
      <p className={styles['legend']}>
        <span>
          {formatTick(Date.parse(history.from), 0, zone, locale())}–
          {formatTick(Date.parse(history.until), 0, zone, locale())}
        </span>
        <span>{label}</span>
      </p>
    </Panel>
  );
}
