/** A captured request again, as a key of its account, to the same or another model or provider; then both side by side. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { asError, call, callScoped, type Schemas } from '../../api/client.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands } from '../../parts/base/copy.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import type { ChoiceItem } from '../../parts/choose/choice-list.tsx';
import { KeySearch, useCallingKey } from '../../parts/choose/key-choice.tsx';
import { Select } from '../../parts/form/fields.tsx';
import { Check, Field, FieldRow, Form, FormProblem } from '../../parts/form/form.tsx';
import { LaneTag } from '../../parts/values/outcome.tsx';
import { Tag } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import { useMe } from '../../state/session.ts';
import { requestPath } from './copy-forms.ts';
import { ReplayResult } from './replay-result.tsx';
import styles from './request.module.css';
import type { Replayed, RequestDetail } from './source.ts';
import type { Panes } from './wire-source.ts';

type NewReplay = Schemas['NewReplay'];

export type ReplayProps = {
  readonly request: RequestDetail;
  readonly panes: Panes;
  readonly onClose: () => void;
};

const MODELS = 'replay-models';

const SENDING = 'sending';

type Sending = {
  readonly done?: Replayed;
  /** With what it was asked for: the form may say something else by now. */
  readonly plan?: { readonly asked: string; readonly steps: NonNullable<Replayed['plan']> };
  readonly error?: Error;
  /** `SENDING`, or what a plan is being asked for. */
  readonly busy?: string;
};

/** Only the latest call counts: a late plan replaces neither a newer one nor the answer of a replay. */
function useReplay(id: string) {
  const { accountId } = useMe();
  const [state, setState] = useState<Sending>({});
  const latest = useRef(0);
  const send = async (body: NewReplay, dryRun = false): Promise<void> => {
    latest.current += 1;
    const turn = latest.current;
    const settle = (next: Sending): void => {
      if (turn === latest.current) setState(next);
    };
    const asked = JSON.stringify(body);
    settle({ busy: dryRun ? asked : SENDING });
    const sent = dryRun ? { ...body, dryRun } : body;
    try {
      const replayed = await callScoped('post', 'requests/{id}/replay', accountId, { path: { id }, body: sent });
      settle(dryRun ? { plan: { asked, steps: replayed.plan ?? [] } } : { done: replayed });
    } catch (cause) {
      settle({ error: asError(cause) });
    }
  };
  return { ...state, send, again: () => setState({}) };
}

/** Those whose id, name or alias has `q` in it; what was found before stays until they are there. */
function useModels(q: string, account: string | undefined): readonly Schemas['Model'][] {
  const query = { callable: 'true', limit: '200', account, q: q === '' ? undefined : q };
  const found = useQuery({
    queryKey: ['/admin/v1/models', 'replay', query],
    queryFn: ({ signal }) => call('get', '/admin/v1/models', { query }, signal),
    placeholderData: keepPreviousData,
  });
  return found.data?.items ?? [];
}

export function Replay({ request, panes, onClose }: ReplayProps) {
  const me = useMe();
  const { id, accountId, askedModel } = request;
  const account = accountId ?? undefined;
  const [model, setModel] = useState('');
  const [provider, setProvider] = useState('');
  const [isStrict, setStrict] = useState(false);
  const [chosenKey, setKey] = useState<ChoiceItem>();
  const { done, plan, error, busy, send, again } = useReplay(id);

  const calling = useCallingKey(account, request.keyId ?? undefined);
  const key = chosenKey ?? calling.data ?? undefined;
  const keyId = key?.value ?? '';
  const listed = useModels(model, account);
  const name = model === '' ? (askedModel ?? '') : model;
  const target = useModels(name, account).find(({ id: each, aliases }) => each === name || aliases.includes(name));
  const providers = [...new Set(target?.endpoints.map((endpoint) => endpoint.provider) ?? [])];
  const body: NewReplay = {
    keyId,
    ...(model !== '' && { model }),
    ...(provider !== '' && { provider }),
    ...(isStrict && { strict: true }),
  };
  const asked = JSON.stringify(body);
  if (done !== undefined)
    return (
      <Dialog title={t('Replay')} isOpen onClose={onClose} kind="wide">
        <ReplayResult request={request} panes={panes} replayed={done} />
        <DialogActions>
          <Button onClick={again}>{t('Replay again')}</Button>
          <Button kind="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <Dialog title={t('Replay')} isOpen onClose={onClose}>
      <Form onSubmit={() => void send(body)}>
        <p>{t('Sends the captured request again as a key of its account. It is charged like any other request.')}</p>
        <FieldRow>
          <Field label={t('Model')} hint={t('Empty: the one that was asked for.')}>
            <input
              value={model}
              onChange={({ target: { value } }) => {
                setModel(value.trim());
                setProvider('');
              }}
              placeholder={askedModel ?? ''}
              list={MODELS}
              spellCheck={false}
              autoComplete="off"
            />
            <datalist id={MODELS}>
              {listed.map((each) => (
                <option key={each.id} value={each.id} />
              ))}
            </datalist>
          </Field>
          <Field label={t('Provider')}>
            <Select
              value={provider}
              options={[['', t('As routing decides')], ...providers.map((each) => [each, each] as const)]}
              onChange={setProvider}
            />
          </Field>
        </FieldRow>
        <Field label={t('Key')} hint={t('Its rights, limits and budget hold.')}>
          <KeySearch
            account={account}
            shown={key === undefined ? (calling.isLoading ? t('Loading') : t('No key')) : `${key.text} · ${key.note}`}
            chosen={keyId}
            onChoose={setKey}
          />
        </Field>
        {calling.data === null && (
          <p role="note">
            {t('The account has no key that a replay can be made as.')}{' '}
            <Link {...place('/keys', {}, { create: 'yes', ...(account !== undefined && { account }) })}>
              {t('Create a key')}
            </Link>
          </p>
        )}
        <Check text={t('Fail rather than lose anything (strict)')} isOn={isStrict} onChange={setStrict} />
        {plan?.asked === asked && <ReplayPlan plan={plan.steps} />}
        <FormProblem error={error ?? calling.error} />
        <Commands
          method="post"
          path={requestPath(id, me.accountId, '/replay')}
          body={body}
          cli={triviumLine(
            ['requests', 'replay', id],
            [
              ['account', me.accountId ?? undefined],
              ['key', keyId],
              ['model', body.model],
              ['provider', body.provider],
              ['strict', isStrict || undefined],
            ],
          )}
        />
        <DialogActions>
          <Button
            onClick={() => void send(body, true)}
            isBusy={busy === asked}
            disabled={keyId === '' || busy === SENDING}
          >
            {t('Show where it would go')}
          </Button>
          <Button kind="primary" type="submit" isBusy={busy === SENDING} disabled={keyId === ''}>
            {t('Replay')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** Where a replay would go, in order. */
const ReplayPlan = ({ plan }: { readonly plan: NonNullable<Replayed['plan']> }) => (
  <ol className={styles['attempts']} aria-label={t('Where it would go')}>
    {plan.map(({ provider, model, lane, losses, refusal }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their order
      <li key={index} className={styles['line']}>
        <b>{index + 1}</b>
        <span>
          {provider} · {model}
        </span>
        {lane !== null && <LaneTag lane={lane} />}
        {losses.map(({ field, why }) => (
          <Tag key={field + why} kind="warn" text={`${field}: ${why}`} />
        ))}
        {refusal !== null && <Tag kind="bad" text={refusal} />}
      </li>
    ))}
  </ol>
);
