/** Where a model can be called: format, limits, prices, health. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Facts } from '../../parts/page/page.tsx';
import { Id, Money, None, NoPrice, Tokens, When } from '../../parts/values/values.tsx';
import styles from './models.module.css';
import { conditionText, kindName, type ModelPrice, unitName } from './prices.ts';
import { CallableTag, CircuitTag, circuitWhyNames } from './state.tsx';

type Endpoint = Schemas['ModelEndpointDetail'];

const tokensOf = (count: number | null) => (count === null ? <None /> : <Tokens count={count} />);

export const EndpointCard = ({
  endpoint,
  isOperator,
}: {
  readonly endpoint: Endpoint;
  readonly isOperator: boolean;
}) => (
  <section className={styles['endpoint']} aria-label={endpoint.provider}>
    <header>
      <h3>
        {isOperator && endpoint.whyNot !== 'not-configured' ? (
          <Link to={'/providers/$id' as string} params={{ id: endpoint.provider } as never}>
            {endpoint.provider}
          </Link>
        ) : (
          endpoint.provider
        )}
      </h3>
      <Id text={endpoint.format} />
      <CallableTag callable={endpoint.callable} whyNot={endpoint.whyNot} />
      {!endpoint.priced && <NoPrice />}
      {endpoint.circuit !== null && endpoint.circuit.state !== 'closed' && (
        <CircuitTag state={endpoint.circuit.state} />
      )}
    </header>
    <Facts
      facts={[
        ...(endpoint.upstreamModel === undefined
          ? []
          : ([[t('Upstream model'), <Id key="upstream" text={endpoint.upstreamModel} />]] as const)),
        [t('Context'), tokensOf(endpoint.contextLength)],
        [t('Max output'), tokensOf(endpoint.maxOutputTokens)],
        [t('Input'), endpoint.inputModalities.join(', ')],
      ]}
    />
    <CircuitFacts circuit={endpoint.circuit} />
    <Prices prices={endpoint.prices} />
    {endpoint.otherPrices.length > 0 && (
      <details className={styles['other']}>
        <summary>{t('Prices for other cases ({count})', { count: endpoint.otherPrices.length })}</summary>
        {endpoint.otherPrices.map(({ basis, prices }) => (
          <div key={basis}>
            <p>{basis}</p>
            <Prices prices={prices} />
          </div>
        ))}
      </details>
    )}
  </section>
);

const CircuitFacts = ({ circuit }: { readonly circuit: Endpoint['circuit'] }) =>
  circuit === null || circuit.state === 'closed' ? null : (
    <Facts
      facts={[
        [t('Why'), circuit.why === null ? <None key="why" /> : circuitWhyNames()[circuit.why]],
        [t('Since'), <When key="since" at={circuit.since} />],
        [t('Next try'), <When key="until" at={circuit.until} />],
      ]}
    />
  );

const Prices = ({ prices }: { readonly prices: readonly ModelPrice[] }) =>
  prices.length === 0 ? null : (
    <table className={styles['prices']}>
      <thead>
        <tr>
          <th>{t('Meter')}</th>
          <th>{t('Condition')}</th>
          <th className={styles['figure']}>{t('Price')}</th>
          <th>{t('Unit')}</th>
        </tr>
      </thead>
      <tbody>
        {prices.map((price) => (
          <tr key={JSON.stringify(price)}>
            <td>{kindName(price.kind)}</td>
            <td className={styles['muted']}>{conditionText(price.conditions)}</td>
            <td className={styles['figure']}>
              <Money usd={price.usd} />
            </td>
            <td className={styles['muted']}>{unitName(price.unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
