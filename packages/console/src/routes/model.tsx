import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, type Schemas } from '../api/client.ts';
import { useGet } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { adminCurl, CopyAs, CopyButton } from '../parts/base/copy.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { Skeleton } from '../parts/base/skeleton.tsx';
import { Crumbs } from '../parts/page/crumbs.tsx';
import { NotFound } from '../parts/page/not-found.tsx';
import { Facts, PageFrame } from '../parts/page/page.tsx';
import { Id, None, Tag, Tokens } from '../parts/values/values.tsx';
import { useAccount, useSameAccount } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { EndpointCard } from './models/endpoint-card.tsx';
import styles from './models/models.module.css';
import { SetPrice } from './models/set-price.tsx';
import { ModelState } from './models/state.tsx';

type Model = Schemas['ModelDetail'];

const REFRESH_MS = 30_000;

export function Page() {
  const { owner = '', name = '' } = useParams({ strict: false }) as { owner?: string; name?: string };
  const account = useAccount();
  const model = useGet(
    '/admin/v1/models/{owner}/{name}',
    { path: { owner, name }, query: { account } },
    { refreshMs: REFRESH_MS },
  );
  if (model.error instanceof ApiError && model.error.status === 404) return <NotFound />;
  return model.data === undefined ? (
    <PageFrame title={`${owner}/${name}`}>
      {model.isError ? <Problem error={model.error} onRetry={() => void model.refetch()} /> : <Skeleton />}
    </PageFrame>
  ) : (
    <ModelPage model={model.data} account={account} />
  );
}

const pathOf = (id: string, account: string | undefined): string => {
  const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`;
  return `/admin/v1/models/${id.split('/').map(encodeURIComponent).join('/')}${query}`;
};

function ModelPage({ model, account }: { readonly model: Model; readonly account: string | undefined }) {
  const isOperator = hasRole(useMe(), 'operator');
  const [priced, setPriced] = useState<string>();
  const { id, displayName, description, endpoints } = model;
  return (
    <PageFrame
      title={id}
      heading={
        <Crumbs section={t('Models')} to="/models" title={displayName}>
          <ModelState model={model} />
        </Crumbs>
      }
      actions={
        <>
          <CopyAs
            forms={[
              { name: 'curl', text: () => adminCurl('GET', pathOf(id, account)) },
              { name: 'trivium', text: () => triviumLine(['models', 'show', id], [['account', account]]) },
            ]}
          />
          {isOperator && (
            <Button onClick={() => setPriced(endpoints[0]?.provider ?? '')} disabled={endpoints.length === 0}>
              {t('Set price')}
            </Button>
          )}
        </>
      }
    >
      <ModelFacts model={model} />
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
    </PageFrame>
  );
}

const tokensOf = (count: number | null) => (count === null ? <None /> : <Tokens count={count} />);

function RequestsLink({ model }: { readonly model: string }) {
  const kept = useSameAccount();
  return (
    <Link to="/requests" search={{ ...kept, model, range: '7d' } as never}>
      {t('of the last 7 days')}
    </Link>
  );
}

const ModelFacts = ({ model }: { readonly model: Model }) => (
  <Facts
    facts={[
      [
        t('Id'),
        <span key="id" className={styles['copied']}>
          <Id text={model.id} />
          <CopyButton text={model.id} />
        </span>,
      ],
      ...(model.aliases.length === 0
        ? []
        : ([[t('Aliases'), <Id key="aliases" text={model.aliases.join(', ')} />]] as const)),
      [t('Input'), model.inputModalities.join(', ')],
      [t('Output'), model.outputModalities.join(', ')],
      [t('Reasoning'), model.reasoning ? t('yes') : t('no')],
      [t('Context'), tokensOf(model.contextLength)],
      [t('Max output'), tokensOf(model.maxOutputTokens)],
      [t('Released'), model.createdDay ?? <None key="created" />],
      ...(model.retiring === null
        ? []
        : ([[t('Retires'), <Tag key="retires" kind="warn" text={model.retiring} />]] as const)),
      [t('Requests'), <RequestsLink key="requests" model={model.id} />],
    ]}
  />
);
