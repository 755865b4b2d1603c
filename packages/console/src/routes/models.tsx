/** Models of the catalogue, at the prices of the account. */

import { useNavigate } from '@tanstack/react-router';
import { useGetList } from '../api/use-list.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t } from '../i18n/t.ts';
import { type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { place, useAccount, useSearchParams } from '../state/search.ts';
import { compactModel, MODEL_COLUMNS, modelParams } from './models/columns.tsx';

const FIELDS: readonly FilterField[] = [
  { id: 'q', label: msg('Id, name or alias') },
  { id: 'owner', label: msg('Owner'), example: 'anthropic' },
  { id: 'provider', label: msg('Provider'), example: 'bedrock' },
];

export function Page() {
  const account = useAccount();
  const navigate = useNavigate();
  const { callable } = useSearchParams();
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
    />
  );
}
