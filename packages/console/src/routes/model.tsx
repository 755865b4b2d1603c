/** One model: what it can, where it can be called, and at which prices. */

import { Link, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useGet } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, CopyButton, readForms } from '../parts/base/copy.tsx';
import { lazyPart } from '../parts/base/lazy-part.ts';
import { Crumbs, Facts, LoadedPage, PageFrame } from '../parts/page/page.tsx';
import { Id, None, Tag, Tokens } from '../parts/values/values.tsx';
import { place, useAccount, useSameAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { EndpointCard } from './models/endpoint-card.tsx';
import styles from './models/models.module.css';
import { SetPrice } from './models/set-price.tsx';
import { ModelState } from './models/state.tsx';

type Model = Schemas['ModelDetail'];

const load = () => import('./models/own-model.tsx');
const OwnModel = lazyPart(load, 'OwnModel');
const RemoveOwnModel = lazyPart(load, 'RemoveOwnModel');
const TestCall = lazyPart(load, 'TestCall');

const REFRESH_MS = 30_000;

export function Page() {
  const { owner = '', name = '' } = useParams({ strict: false }) as { owner?: string; name?: string };
  const account = useAccount();
  const model = useGet(
    '/admin/v1/models/{owner}/{name}',
    { path: { owner, name }, query: { account } },
    { refreshMs: REFRESH_MS },
  );
  return (
    <LoadedPage of={model} title={`${owner}/${name}`}>
      {(data) => <ModelPage model={data} account={account} />}
    </LoadedPage>
  );
}

function ModelPage({ model, account }: { readonly model: Model; readonly account: string | undefined }) {
  const isOperator = hasRole(useMe(), 'operator');
  const [priced, setPriced] = useState<string>();
  const [doing, setDoing] = useState<'test' | 'change' | 'remove'>();
  const { test } = useSearchParams();
  const setSearch = useSetSearch();
  const close = (): void => {
    setDoing(undefined);
    setSearch({ test: undefined });
  };
  const kept = useSameAccount();
  const stored = useGet('/admin/v1/models/own', {}, { enabled: isOperator });
  const own = stored.data?.items.find((each) => each.id === model.id);
  const { id, displayName, description, endpoints, aliases, retiring } = model;
  const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`;
  const path = `/admin/v1/models/${id.split('/').map(encodeURIComponent).join('/')}${query}`;
  return (
    <PageFrame
      title={id}
      heading={
        <Crumbs section={t('Models')} to="/models" title={displayName}>
          <ModelState {...model} />
        </Crumbs>
      }
      actions={
        <>
          <CopyAs forms={readForms(path, triviumLine(['models', 'show', id], [['account', account]]))} />
          {isOperator && (
            <Button onClick={() => setPriced(endpoints[0]?.provider ?? '')} disabled={endpoints.length === 0}>
              {t('Set price')}
            </Button>
          )}
          {isOperator && <Button onClick={() => setDoing('test')}>{t('Test call')}</Button>}
          {own !== undefined && (
            <>
              <Button onClick={() => setDoing('change')}>{t('Change')}</Button>
              <Button kind="danger" onClick={() => setDoing('remove')}>
                {t('Remove')}
              </Button>
            </>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [
            t('Id'),
            <span key="id" className={styles['copied']}>
              <Id text={id} />
              <CopyButton text={id} />
            </span>,
          ],
          aliases.length > 0 && [t('Aliases'), <Id key="aliases" text={aliases.join(', ')} />],
          [t('Input'), model.inputModalities.join(', ')],
          [t('Output'), model.outputModalities.join(', ')],
          [t('Reasoning'), model.reasoning ? t('yes') : t('no')],
          [t('Context'), <Tokens key="context" count={model.contextLength} />],
          [t('Max output'), <Tokens key="output" count={model.maxOutputTokens} />],
          [t('Released'), model.createdDay ?? <None key="created" />],
          retiring !== null && [t('Retires'), <Tag key="retires" kind="warn" text={retiring} />],
          [
            t('Requests'),
            <Link key="requests" {...place('/requests', {}, { ...kept, model: id, range: '7d' })}>
              {t('of the last 7 days')}
            </Link>,
          ],
        ]}
      />
      {description !== '' && <p className={styles['description']}>{description}</p>}
      <h2>{t('Endpoints')}</h2>
      {account !== undefined && (
        <p className={styles['muted']}>{t('At the prices of the account {account}.', { account })}</p>
      )}
      <div className={styles['endpoints']}>
        {endpoints.map((endpoint) => (
          <EndpointCard key={`${endpoint.provider} ${endpoint.format}`} endpoint={endpoint} isOperator={isOperator} />
        ))}
      </div>
      {priced !== undefined && (
        <SetPrice
          model={id}
          provider={priced}
          providers={[...new Set(endpoints.map(({ provider }) => provider))]}
          onProvider={setPriced}
          onClose={() => setPriced(undefined)}
        />
      )}
      <Suspense>
        {(doing === 'test' || test === 'yes') && isOperator && <TestCall id={id} onClose={close} />}
        {doing === 'change' && <OwnModel definition={own?.definition} onClose={close} />}
        {doing === 'remove' && <RemoveOwnModel id={id} onClose={close} />}
      </Suspense>
    </PageFrame>
  );
}
