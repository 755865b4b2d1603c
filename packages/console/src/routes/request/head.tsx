import { Link } from '@tanstack/react-router';
import { t } from '../../i18n/t.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Facts } from '../../parts/page.tsx';
import { Duration, Id, Money, None, NoPrice, Tag, Tokens, When } from '../../parts/values.tsx';
import styles from './request.module.css';
import type { RequestDetail } from './source.ts';

/** A value that leads to the requests that share it. */
const Only = ({ name, value }: { readonly name: string; readonly value: string | null }) =>
  value === null ? (
    <None />
  ) : (
    <Link to="/requests" search={{ [name]: value, range: '24h' } as never} title={t('Only these requests')}>
      {value}
    </Link>
  );

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
          [t('Account'), <Only key="account" name="account" value={request.accountId} />],
          [t('Key'), <KeyLink key="key" request={request} />],
          [t('Asked model'), <Only key="asked" name="askedModel" value={askedModel} />],
          ...(model === askedModel
            ? []
            : ([[t('Served by model'), <Only key="model" name="model" value={model} />]] as const)),
          [t('Provider'), <Only key="provider" name="provider" value={provider} />],
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

const KeyLink = ({ request: { keyId, keyName, memberId } }: { readonly request: RequestDetail }) =>
  keyId === null ? (
    <None />
  ) : (
    <span>
      <Link to="/requests" search={{ key: keyId, range: '24h' } as never} title={t('Only these requests')}>
        {keyName ?? keyId}
      </Link>
      {memberId !== null && ` / ${memberId}`}
    </span>
  );
