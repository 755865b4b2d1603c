/** The models of a provider with their circuit breakers, as the process that answers sees them. */

import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/states.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { DataTable } from '../../parts/list/data-table.tsx';
import { Compact } from '../../parts/list/list.tsx';
import { Duration, None } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import { modelParams } from '../models/columns.tsx';
import { CIRCUIT_WHY, CircuitTag } from '../models/state.tsx';

type Target = Schemas['ProviderTarget'];
const ModelLink = ({ model }: Target) => <Link {...place('/models/$owner/$name', modelParams(model))}>{model}</Link>;

const COLUMNS: readonly Column<Target>[] = [
  { id: 'model', title: msg('Model'), width: 'minmax(150px, 2fr)', cell: ModelLink },
  { id: 'state', title: msg('State'), width: '100px', cell: CircuitTag },
  { of: 'why', as: CIRCUIT_WHY, title: msg('Why'), width: 'minmax(90px, 1fr)' },
  { of: 'since', as: 'when', title: msg('Since'), width: '112px' },
  { of: 'until', as: 'when', title: msg('Next try'), width: '112px' },
  { of: 'failuresInRow', as: 'count', title: msg('Failed in a row'), width: '100px' },
  { of: 'firstTokenMs', as: 'ms', title: msg('First token'), width: '80px' },
  { of: 'waiting', as: 'count', title: msg('Waiting'), width: '60px' },
  {
    id: 'credentials',
    title: msg('Credentials out'),
    width: '96px',
    /** Those that get no calls, by their place in the configuration. */
    cell: ({ credentials }) =>
      credentials
        .filter(({ state }) => state !== 'closed')
        .map(({ position }) => position)
        .join(', ') || <None />,
  },
];

type TargetsProps = { readonly targets: readonly Target[]; readonly onRelease: (model: string) => void };

export function Targets({ targets, onRelease }: TargetsProps) {
  const release = ({ state, model }: Target) =>
    state === 'closed' ? null : <Button onClick={() => onRelease(model)}>{t('Bring back')}</Button>;
  return (
    <DataTable
      label={t('Models')}
      columns={[...COLUMNS, { id: 'release', title: '', width: '112px', cell: release }]}
      compact={(target) => (
        <Compact
          first={<ModelLink {...target} />}
          end={<CircuitTag state={target.state} />}
          second={target.why === null ? <Duration ms={target.firstTokenMs} /> : t(CIRCUIT_WHY[target.why])}
          secondEnd={release(target)}
        />
      )}
      rows={targets}
      idOf={({ model }) => model}
      isWhole
      empty={<EmptyState title={t('No model can be called at this provider.')} />}
    />
  );
}
