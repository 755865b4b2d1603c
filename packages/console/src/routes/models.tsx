/** Models of the catalogue, at the prices of the account. */

import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Suspense } from 'react';
import { useGetList } from '../api/use-list.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { lazyPart } from '../parts/base/lazy-part.ts';
import { type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { place, useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { compactModel, MODEL_COLUMNS, modelParams } from './models/columns.tsx';

const FIELDS: readonly FilterField[] = [
  { id: 'q', label: msg('Id, name or alias') },
  { id: 'owner', label: msg('Owner'), example: 'anthropic' },
  { id: 'provider', label: msg('Provider'), example: 'bedrock' },
];

const OwnModel = lazyPart(() => import('./models/own-model.tsx'), 'OwnModel');

export function Page() {
  const account = useAccount();
  const navigate = useNavigate();
  const isOperator = hasRole(useMe(), 'operator');
  const setSearch = useSetSearch();
  const { callable, create } = useSearchParams();
  const filters = useFilters(FIELDS);
  const query = {
    ...filters,
    ...(callable !== undefined && { callable }),
    ...(account !== undefined && { account }),
  } as Record<string, string>;
  return (
    <ListPage
      title={t('Models')}
      list={useGetList('/admin/v1/models', { query })}
      columns={MODEL_COLUMNS}
      compact={compactModel}
      onOpen={({ id }) =>
        void navigate(place('/models/$owner/$name', modelParams(id), account === undefined ? {} : { account }))
      }
      fields={FIELDS}
      placeholder={t('Search by id, name or alias')}
      selects={[
        {
          id: 'callable',
          label: t('State'),
          choices: [
            ['all', t('all models')],
            ['true', t('callable')],
            ['false', t('not callable')],
          ],
        },
      ]}
      path={`/admin/v1/models?${new URLSearchParams(query)}`}
      cli={triviumLine(
        ['models', 'list'],
        [
          ['search', query['q']],
          ['owner', query['owner']],
          ['provider', query['provider']],
          ['callable', callable === 'true' ? true : undefined],
          ['account', account],
        ],
      )}
      noMatch={t('No model matches these filters.')}
      actions={
        isOperator && (
          <Button icon={<Plus size={14} />} onClick={() => setSearch({ create: 'yes' })}>
            {t('Add a model')}
          </Button>
        )
      }
    >
      {isOperator && create === 'yes' && (
        <Suspense>
          <OwnModel onClose={() => setSearch({ create: undefined })} />
        </Suspense>
      )}
    </ListPage>
  );
}
