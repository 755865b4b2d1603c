/** What a request was, in figures that lead to those alike. */
import { Link } from '@tanstack/react-router';
import { rangeHolding } from '../../format/range.ts';
import { t } from '../../i18n/t.ts';
import { CopyButton } from '../../parts/base/copy.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { Outcome } from '../../parts/values/outcome.tsx';
import { Duration, Id, Money, None, NoPrice, Tag, Tokens, When } from '../../parts/values/values.tsx';
import { useSearchParams } from '../../state/search.ts';
import { clientName } from '../people/clients.ts';
import styles from './request.module.css';
import type { RequestDetail } from './source.ts';

type OnlyProps = {
  readonly request: Pick<RequestDetail, 'receivedAt'>;
  readonly name: string;
  readonly value: string | null;
  readonly text?: string | null;
};

/** A value that leads to the requests that share it. */
export function Only({ value, name, text, request: { receivedAt } }: OnlyProps) {
  const { range: shown } = useSearchParams();
  if (value === null) return <None />;
  const range = rangeHolding(Date.parse(receivedAt), Date.now(), shown);
  return (
    <Link to="/requests" search={{ [name]: value, range } as never} title={t('Only these requests')}>
      {text ?? value}
    </Link>
  );
}

export function RequestHead({ request }: { readonly request: RequestDetail }) {
  const { askedModel, model, provider, costUsd, estimated, unpriced } = request;
  return (
    <div className={styles['head']}>
      <div className={styles['line']}>
        <Id text={request.id} />
        <CopyButton text={request.id} label={t('Copy the request id')} />
        <Outcome {...request} />
        {request.stream && <Tag text={t('stream')} />}
        {request.strict && <Tag text={t('strict')} />}
      </div>
      <Facts
        facts={[
          [t('Time'), <When key="time" at={request.receivedAt} />],
          [t('Account'), <Only key="account" request={request} name="account" value={request.accountId} />],
          [request.client === null ? t('Key') : t('App'), <KeyLink key="key" request={request} />],
          [t('Asked model'), <Only key="asked" request={request} name="askedModel" value={askedModel} />],
          ...(model === askedModel
            ? []
            : ([[t('Served by model'), <Only key="model" request={request} name="model" value={model} />]] as const)),
          [t('Provider'), <Only key="provider" request={request} name="provider" value={provider} />],
          [
            t('Cost'),
            <span key="cost">
              <Money usd={costUsd} isEstimated={estimated} /> {unpriced.length > 0 && <NoPrice />}
            </span>,
          ],
          [
            t('Tokens'),
            <span key="tokens">
              <Tokens count={request.inputTokens} /> › <Tokens count={request.outputTokens} />
            </span>,
          ],
          [t('First token'), <Duration key="first" ms={request.firstTokenMs} />],
          [t('Total'), <Duration key="total" ms={request.durationMs} />],
        ]}
      />
    </div>
  );
}

const KeyLink = ({ request }: { readonly request: RequestDetail }) => (
  <span className={styles['line']}>
    <Only request={request} name="key" value={request.keyId} text={request.keyName} />
    {request.keyId !== null && request.memberId !== null && <Id text={request.memberId} />}
    {request.client !== null && clientName(request.client) !== request.keyName && (
      <Tag text={clientName(request.client)} />
    )}
  </span>
);
