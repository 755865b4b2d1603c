/** The models of a provider with their circuit breakers, as the process that answers sees them. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Duration, None, When } from '../../parts/values/values.tsx';
import { modelParams } from '../models/columns.tsx';
import { CircuitTag, circuitWhyNames } from '../models/state.tsx';

type Target = Schemas['ProviderTarget'];
type OnRelease = (model: string) => void;

const ModelLink = ({ model }: { readonly model: string }) => (
  <Link to={'/models/$owner/$name' as string} params={modelParams(model)}>
    {model}
  </Link>
);

const Release = ({ target, onRelease }: { readonly target: Target; readonly onRelease: OnRelease }) =>
  target.state === 'closed' ? null : <Button onClick={() => onRelease(target.model)}>{t('Bring back')}</Button>;

/** Credentials that get no calls, by their place in the configuration. */
const credentialsOut = ({ credentials }: Target): string =>
  credentials
    .filter(({ state }) => state !== 'closed')
    .map(({ position }) => position)
    .join(', ');

const columns = (onRelease: OnRelease): readonly Column<Target>[] => [
  { id: 'model', title: t('Model'), width: 'minmax(180px, 2fr)', cell: ({ model }) => <ModelLink model={model} /> },
  { id: 'state', title: t('State'), width: '110px', cell: ({ state }) => <CircuitTag state={state} /> },
  {
    id: 'why',
    title: t('Why'),
    width: 'minmax(110px, 1fr)',
    cell: ({ why }) => (why === null ? <None /> : circuitWhyNames()[why]),
  },
  { id: 'since', title: t('Since'), width: '120px', cell: ({ since }) => <When at={since} /> },
  { id: 'until', title: t('Next try'), width: '120px', cell: ({ until }) => <When at={until} /> },
  { id: 'row', title: t('Failed in a row'), width: '100px', align: 'end', cell: ({ failuresInRow }) => failuresInRow },
  {
    id: 'first',
    title: t('First token'),
    width: '90px',
    align: 'end',
    cell: ({ firstTokenMs }) => <Duration ms={firstTokenMs} />,
  },
  { id: 'waiting', title: t('Waiting'), width: '70px', align: 'end', cell: ({ waiting }) => waiting },
  {
    id: 'credentials',
    title: t('Credentials out'),
    width: '110px',
    cell: (target) => credentialsOut(target) || <None />,
  },
  { id: 'release', title: '', width: '100px', cell: (target) => <Release target={target} onRelease={onRelease} /> },
];

export const Targets = ({
  targets,
  onRelease,
}: {
  readonly targets: readonly Target[];
  readonly onRelease: OnRelease;
}) => (
  <DataTable
    label={t('Models')}
    columns={columns(onRelease)}
    compact={(target) => (
      <div className={lists['compact']}>
        <span>
          <ModelLink model={target.model} />
          <span className={lists['push']}>
            <CircuitTag state={target.state} />
          </span>
        </span>
        <span className={lists['second']}>
          {target.why === null ? <Duration ms={target.firstTokenMs} /> : circuitWhyNames()[target.why]}
          <span className={lists['push']}>
            <Release target={target} onRelease={onRelease} />
          </span>
        </span>
      </div>
    )}
    rows={targets}
    idOf={({ model }) => model}
    isWhole
    empty={<EmptyState title={t('No model can be called at this provider.')} />}
  />
);
