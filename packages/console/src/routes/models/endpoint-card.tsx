/** Where a model can be called: format, limits, prices, health. */

import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Facts } from '../../parts/page/page.tsx';
import { Id, Money, None, NoPrice, Tokens, When } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import styles from './models.module.css';
import { conditionText, kindName, type ModelPrice, unitName } from './prices.ts';
import { CallableTag, CIRCUIT_WHY, CircuitTag } from './state.tsx';

type Endpoint = Schemas['ModelEndpointDetail'];

type EndpointCardProps = { readonly endpoint: Endpoint; readonly isOperator: boolean };

export const EndpointCard = ({ endpoint, isOperator }: EndpointCardProps) => {
  const { provider, whyNot, circuit, contextLength, maxOutputTokens, upstreamModel, otherPrices } = endpoint;
  const openCircuit = circuit === null || circuit.state === 'closed' ? undefined : circuit;
  return (
    <section className={styles['endpoint']} aria-label={provider}>
      <header>
        <h3>
          {isOperator && whyNot !== 'not-configured' ? (
            <Link {...place('/providers/$id', { id: provider })}>{provider}</Link>
          ) : (
            provider
          )}
        </h3>
        <Id text={endpoint.format} />
        <CallableTag callable={endpoint.callable} whyNot={whyNot} />
        {!endpoint.priced && <NoPrice />}
        {openCircuit !== undefined && <CircuitTag state={openCircuit.state} />}
      </header>
      <Facts
        facts={[
          upstreamModel !== undefined && [t('Upstream model'), <Id key="upstream" text={upstreamModel} />],
          [t('Context'), <Tokens key="context" count={contextLength} />],
          [t('Max output'), <Tokens key="output" count={maxOutputTokens} />],
          [t('Input'), endpoint.inputModalities.join(', ')],
        ]}
      />
      {openCircuit !== undefined && (
        <Facts
          facts={[
            [t('Why'), openCircuit.why === null ? <None key="why" /> : t(CIRCUIT_WHY[openCircuit.why])],
            [t('Since'), <When key="since" at={openCircuit.since} />],
            [t('Next try'), <When key="until" at={openCircuit.until} />],
          ]}
        />
      )}
      <Prices prices={endpoint.prices} />
      {otherPrices.length > 0 && (
        <details className={styles['other']}>
          <summary>{t('Prices for other cases ({count})', { count: otherPrices.length })}</summary>
          {otherPrices.map(({ basis, prices }) => (
            <div key={basis}>
              <p>{basis}</p>
              <Prices prices={prices} />
            </div>
          ))}
        </details>
      )}
    </section>
  );
};

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
