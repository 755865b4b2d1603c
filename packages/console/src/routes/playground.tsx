/** Calls of the data plane as one of the account's keys, of up to three models side by side. Nothing is kept. */

import { Link2, Plus, SendHorizontal, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { parsed } from '../format/json-lines.ts';
import { msg, t, translated } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, copyText } from '../parts/base/copy.tsx';
import { EmptyState, QueryProblem } from '../parts/base/states.tsx';
import { KeySearch, useCallingKey } from '../parts/choose/key-choice.tsx';
import { Select } from '../parts/form/fields.tsx';
import { Check, controlClass } from '../parts/form/form.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { useMe } from '../state/session.ts';
import { useShortcuts, useStayOnPage } from '../state/shortcuts.ts';
import { type Body, bodyOf } from './playground/body.ts';
import { AnswerColumn } from './playground/column.tsx';
import { Composer } from './playground/composer.tsx';
import {
  type Draft,
  isText,
  MODES,
  type Mode,
  newDraft,
  type Sent,
  type Turn,
  withoutColumn,
} from './playground/draft.ts';
import { ModelChoice, useFirstModels } from './playground/model-choice.tsx';
import styles from './playground/playground.module.css';
import { draftOfHash, hashOfDraft } from './playground/share.ts';
import { snippetsOf } from './playground/snippets.ts';
import { parseTools } from './playground/tools.ts';

const MAX_MODELS = 3;

const MODE_NAMES: Readonly<Record<Mode, string>> = {
  chat: msg('Chat completions'),
  responses: msg('Responses'),
  messages: msg('Messages'),
  genai: msg('Generate content'),
  image: msg('Image'),
  video: msg('Video'),
  speech: msg('Speech'),
  transcription: msg('Transcription'),
  rerank: msg('Reranking'),
};

function parsedBody(text: string): Body | undefined {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
}

export function Page() {
  const account = useAccount();
  const { gateway } = useMe();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const [draft, setDraft] = useState<Draft>(() => draftOfHash(location.hash) ?? newDraft('chat'));
  const [json, setJson] = useState<string>();
  const [sent, setSent] = useState<Sent>();
  const [recording, setRecording] = useState<File>();
  /** The column that was added last: its model is chosen next. */
  const [added, setAdded] = useState<number>();
  const [columns, setColumns] = useState<readonly number[]>(() => Array.from({ length: MAX_MODELS }, (_, at) => at));

  const mode = MODES.find((each) => each === search['mode']) ?? draft.mode;
  const current = useMemo(() => ({ ...draft, mode }), [draft, mode]);
  const source = { account, output: isText(mode) ? 'text' : mode };
  const models = useFirstModels(source);
  const first = models.data?.map(({ value }) => value) ?? [];
  const calling = useCallingKey(account, search['key']);
  const key = calling.data ?? undefined;
  const keyText = key?.text ?? (calling.isLoading ? t('Loading') : t('No key'));
  const asked = (search['models'] ?? '').split(',').filter((id) => id !== '');
  const chosen = asked.length > 0 ? asked.slice(0, MAX_MODELS) : first.slice(0, 1);
  const setModels = (ids: readonly string[]): void => setSearch({ models: ids.join(',') });

  const body = json === undefined ? bodyOf(current) : parsedBody(json);
  const file = mode === 'transcription' ? recording : undefined;
  const isReady =
    body !== undefined &&
    key !== undefined &&
    chosen.length > 0 &&
    parseTools(draft.tools) !== undefined &&
    (mode !== 'transcription' || file !== undefined);
  const isStream = isText(mode) && (mode === 'genai' ? current.isStream : body?.['stream'] === true);
  const send = (): void => {
    if (!isReady) return;
    setSent({
      no: (sent?.no ?? 0) + 1,
      keyId: key.value,
      mode,
      isStrict: current.isStrict,
      isStream: current.isStream,
      body,
      file,
    });
  };
  useShortcuts({ 'Ctrl+enter': send });
  useStayOnPage(
    json !== undefined ||
      recording !== undefined ||
      sent !== undefined ||
      JSON.stringify(current) !== JSON.stringify(newDraft(mode)),
  );
  const change = (patch: Partial<Draft>): void => setDraft((before) => ({ ...before, ...patch }));
  const changeTurn = (index: number, changed: (turn: Turn) => Turn): void =>
    setDraft((before) => ({
      ...before,
      turns: before.turns.map((turn, place) => (place === index ? changed(turn) : turn)),
    }));
  const share = (): void => {
    const url = new URL(location.href);
    url.hash = hashOfDraft(current);
    void copyText(url.href, t('Link copied. It holds what is written here, without pictures.'));
  };
  return (
    <PageFrame
      title={t('Playground')}
      actions={
        <>
          <Button icon={<Link2 size={14} />} onClick={share}>
            {t('Share')}
          </Button>
          <CopyAs
            forms={snippetsOf(
              mode,
              { gatewayUrl: gateway.url, model: chosen[0] ?? '', body: body ?? {}, isStream },
              current.isStrict,
            )}
          />
        </>
      }
    >
      <QueryProblem of={models} />
      <QueryProblem of={calling} />
      <div className={styles['layout']}>
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <div className={styles['top']}>
            <Select
              className={controlClass}
              aria-label={t('Protocol')}
              value={mode}
              options={translated(MODE_NAMES)}
              onChange={(next) => {
                setJson(undefined);
                setSearch({ mode: next, models: undefined });
              }}
            />
            <KeySearch
              account={account}
              shown={keyText}
              ariaLabel={t('Key: {name}', { name: keyText })}
              className={styles['model'] ?? ''}
              chosen={key?.value ?? ''}
              onChoose={({ value }) => setSearch({ key: value })}
            />
            <Check text={t('Strict')} isOn={current.isStrict} onChange={(isStrict) => change({ isStrict })} />
            {isText(mode) && (
              <Check
                text={t('Stream')}
                isOn={current.isStream}
                isDisabled={json !== undefined}
                onChange={(isStream) => change({ isStream })}
              />
            )}
          </div>
          <fieldset className={styles['views']} aria-label={t('View')}>
            <button type="button" aria-pressed={json === undefined} onClick={() => setJson(undefined)}>
              {t('Form')}
            </button>
            <button
              type="button"
              aria-pressed={json !== undefined}
              onClick={() => setJson(JSON.stringify(bodyOf(current), null, 2))}
            >
              JSON
            </button>
          </fieldset>
          {json === undefined ? (
            <Composer
              draft={current}
              onChange={change}
              onTurn={changeTurn}
              recording={recording}
              onRecording={setRecording}
            />
          ) : (
            <textarea
              className={`${controlClass} ${styles['code']}`}
              aria-label={t('Body')}
              aria-invalid={body === undefined}
              rows={20}
              spellCheck={false}
              value={json}
              onChange={({ target }) => setJson(target.value)}
            />
          )}
          <div className={styles['send']}>
            <Button kind="primary" type="submit" icon={<SendHorizontal size={14} />} disabled={!isReady}>
              {t('Send')}
            </Button>
            <kbd>Ctrl Enter</kbd>
            {body === undefined && <span className={styles['problem']}>{t('Not a JSON object.')}</span>}
          </div>
        </form>
        <div className={styles['columns']} data-count={chosen.length}>
          {chosen.length === 0 && !models.isLoading && (
            <EmptyState title={t('No model that can be called makes this.')} />
          )}
          {calling.data === null && (
            <EmptyState title={t('Calls are made as a key of an account, and there is none yet.')} />
          )}
          {chosen.map((model, index) => (
            <AnswerColumn
              // A column keeps its answer when its model changes.
              key={columns[index]}
              model={model}
              account={account}
              sent={sent}
              {...(chosen.length === 1 &&
                isText(mode) &&
                json === undefined && {
                  onContinue: (text: string) =>
                    change({
                      turns: [
                        ...current.turns,
                        { role: 'assistant', text, pictures: [] },
                        { role: 'user', text: '', pictures: [] },
                      ],
                    }),
                })}
              head={
                <>
                  <ModelChoice
                    source={source}
                    model={model}
                    isOpenFirst={index === added}
                    onChoose={(id) => setModels(chosen.map((each, place) => (place === index ? id : each)))}
                  />
                  {chosen.length > 1 && (
                    <Button
                      kind="quiet"
                      icon={<X size={14} />}
                      aria-label={t('Remove {name}', { name: model })}
                      onClick={() => {
                        setColumns(withoutColumn(columns, index));
                        setModels(chosen.filter((_, place) => place !== index));
                      }}
                    />
                  )}
                  {index === chosen.length - 1 && chosen.length < MAX_MODELS && (
                    <Button
                      kind="quiet"
                      icon={<Plus size={14} />}
                      onClick={() => {
                        setAdded(chosen.length);
                        setModels([...chosen, first.find((id) => !chosen.includes(id)) ?? model]);
                      }}
                    >
                      {t('Compare')}
                    </Button>
                  )}
                </>
              }
            />
          ))}
        </div>
      </div>
    </PageFrame>
  );
}
