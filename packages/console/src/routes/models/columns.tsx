/** Models in lists. */

import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact } from '../../parts/list/list.tsx';
import { Money } from '../../parts/values/values.tsx';
import { place, useSameAccount } from '../../state/search.ts';
import styles from './models.module.css';
import { lowestPrice } from './prices.ts';
import { ModelState } from './state.tsx';

export type Model = Schemas['Model'];

export const modelParams = (id: string): { readonly owner: string; readonly name: string } => {
  const [owner = '', ...name] = id.split('/');
  return { owner, name: name.join('/') };
};

function ModelLink({ id }: Pick<Model, 'id'>) {
  const kept = useSameAccount();
  return (
    <Link {...place('/models/$owner/$name', modelParams(id), kept)} title={id}>
      {id}
    </Link>
  );
}

/** One dot for each: full ones can be called. The number says the same. */
const Providers = ({ endpoints }: Pick<Model, 'endpoints'>) => (
  <span title={endpoints.map(({ provider }) => provider).join(', ')}>
    <span className={styles['dots']} aria-hidden>
      {endpoints.map(({ provider, format, callable }) => (
        <i key={`${provider} ${format}`} data-on={callable} />
      ))}
    </span>{' '}
    {t('{usable} of {count}', {
      usable: endpoints.filter(({ callable }) => callable).length,
      count: endpoints.length,
    })}
  </span>
);

const Price = ({ model, kind }: { readonly model: Model; readonly kind: string }) => (
  <Money usd={lowestPrice(model.endpoints, kind) ?? null} />
);

function Modalities({ inputModalities, outputModalities }: Model) {
  const text = `${inputModalities.join(', ')} → ${outputModalities.join(', ')}`;
  return <span title={text}>{text}</span>;
}

const PRICES: readonly (readonly [id: string, title: string, kind: string])[] = [
  ['in', msg('$/M in'), 'prompt'],
  ['out', msg('$/M out'), 'completion'],
  ['cached', msg('$/M cached'), 'input_cache_read'],
];

export const MODEL_COLUMNS: readonly Column<Model>[] = [
  { id: 'model', title: msg('Model'), width: 'minmax(200px, 2fr)', cell: ({ id }) => <ModelLink id={id} /> },
  { id: 'providers', title: msg('Providers'), width: '130px', cell: Providers },
  { id: 'modalities', title: msg('Input → output'), width: 'minmax(140px, 1.4fr)', cell: Modalities },
  { of: 'contextLength', as: 'tokens', title: msg('Context'), width: '76px' },
  ...PRICES.map(
    ([id, title, kind]): Column<Model> => ({
      id,
      title,
      width: '84px',
      align: 'end',
      cell: (model) => <Price model={model} kind={kind} />,
    }),
  ),
  { id: 'state', title: msg('State'), width: 'minmax(150px, 1fr)', cell: ModelState },
];

export const compactModel = (model: Model) => (
  <Compact
    first={<ModelLink id={model.id} />}
    end={<ModelState {...model} />}
    second={<Providers endpoints={model.endpoints} />}
    secondEnd={
      lowestPrice(model.endpoints, 'prompt') !== undefined ? (
        <>
          <Price model={model} kind="prompt" /> → <Price model={model} kind="completion" />
        </>
      ) : undefined
    }
  />
);
