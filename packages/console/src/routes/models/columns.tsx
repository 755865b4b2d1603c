import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Money, None, Tokens } from '../../parts/values/values.tsx';
import { useSameAccount } from '../../state/search.ts';
import styles from './models.module.css';
import { lowestPrice } from './prices.ts';
import { ModelState } from './state.tsx';

export type Model = Schemas['Model'];

export const modelParams = (id: string): never => {
  const [owner = '', ...name] = id.split('/');
  return { owner, name: name.join('/') } as never;
};

function ModelLink({ id }: { readonly id: string }) {
  const kept = useSameAccount();
  return (
    <Link to={'/models/$owner/$name' as string} params={modelParams(id)} search={kept as never} title={id}>
      {id}
    </Link>
  );
}

/** One dot for each: full ones can be called. The number says the same. */
const Providers = ({ endpoints }: { readonly endpoints: Model['endpoints'] }) => {
  const usable = endpoints.filter(({ callable }) => callable).length;
  const names = endpoints.map(({ provider }) => provider).join(', ');
  return (
    <span title={names}>
      <span className={styles['dots']} aria-hidden>
        {endpoints.map(({ provider, format, callable }) => (
          <i key={`${provider} ${format}`} data-on={callable} />
        ))}
      </span>{' '}
      {t('{usable} of {count}', { usable, count: endpoints.length })}
    </span>
  );
};

const Price = ({ model, kind }: { readonly model: Model; readonly kind: string }) => {
  const usd = lowestPrice(model.endpoints, kind);
  return usd === undefined ? <None /> : <Money usd={usd} />;
};

const modalities = ({ inputModalities, outputModalities }: Model): string =>
  `${inputModalities.join(', ')} → ${outputModalities.join(', ')}`;

const priceColumn = (id: string, title: string, kind: string): Column<Model> => ({
  id,
  title,
  width: '84px',
  align: 'end',
  cell: (model) => <Price model={model} kind={kind} />,
});

export const modelColumns = (): readonly Column<Model>[] => [
  { id: 'model', title: t('Model'), width: 'minmax(200px, 2fr)', cell: ({ id }) => <ModelLink id={id} /> },
  {
    id: 'providers',
    title: t('Providers'),
    width: '130px',
    cell: ({ endpoints }) => <Providers endpoints={endpoints} />,
  },
  {
    id: 'modalities',
    title: t('Input → output'),
    width: 'minmax(140px, 1.4fr)',
    cell: (model) => <span title={modalities(model)}>{modalities(model)}</span>,
  },
  {
    id: 'context',
    title: t('Context'),
    width: '76px',
    align: 'end',
    cell: ({ contextLength }) => (contextLength === null ? <None /> : <Tokens count={contextLength} />),
  },
  priceColumn('in', t('$/M in'), 'prompt'),
  priceColumn('out', t('$/M out'), 'completion'),
  priceColumn('cached', t('$/M cached'), 'input_cache_read'),
  { id: 'state', title: t('State'), width: 'minmax(150px, 1fr)', cell: (model) => <ModelState model={model} /> },
];

export const compactModel = (model: Model) => (
  <div className={lists['compact']}>
    <span>
      <ModelLink id={model.id} />
      <span className={lists['push']}>
        <ModelState model={model} />
      </span>
    </span>
    <span className={lists['second']}>
      <Providers endpoints={model.endpoints} />
      {lowestPrice(model.endpoints, 'prompt') !== undefined && (
        <span className={lists['push']}>
          <Price model={model} kind="prompt" /> → <Price model={model} kind="completion" />
        </span>
      )}
    </span>
  </div>
);
