/** What is asked: a form, or the JSON that follows from it and may be changed by hand. */

import { ImagePlus, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { asError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Field } from '../../parts/form/form.tsx';
import { type Draft, type Effort, isText, type Turn } from './draft.ts';
import { Pictures, readPicture } from './media.tsx';
import styles from './playground.module.css';
import { EXAMPLE_TOOLS, parseTools } from './tools.ts';

export type ComposerProps = {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Of one message as it then is: a picture is there a moment after it was chosen. */
  readonly onTurn: (index: number, change: (turn: Turn) => Turn) => void;
};

export function Composer({ draft, onChange, onTurn }: ComposerProps) {
  const hasText = isText(draft.mode);
  const shown = hasText ? draft.turns : draft.turns.slice(-1);
  const offset = draft.turns.length - shown.length;
  return (
    <div className={styles['composer']}>
      {hasText && (
        <Field label={t('System')}>
          <textarea rows={2} value={draft.system} onChange={({ target }) => onChange({ system: target.value })} />
        </Field>
      )}
      {shown.map((turn, place) => (
        <TurnField
          // biome-ignore lint/suspicious/noArrayIndexKey: a message is known by its place
          key={place}
          turn={turn}
          label={!hasText ? t('Prompt') : turn.role === 'user' ? t('User') : t('Assistant')}
          hasPictures={draft.mode !== 'image' && turn.role === 'user'}
          onChange={(change) => onTurn(place + offset, change)}
          {...(hasText &&
            draft.turns.length > 1 && {
              onRemove: () => onChange({ turns: draft.turns.filter((_, index) => index !== place) }),
            })}
        />
      ))}
      {hasText && (
        <Button
          kind="quiet"
          icon={<Plus size={14} />}
          className={styles['start'] ?? ''}
          onClick={() =>
            onChange({
              turns: [
                ...draft.turns,
                { role: draft.turns.at(-1)?.role === 'user' ? 'assistant' : 'user', text: '', pictures: [] },
              ],
            })
          }
        >
          {t('Add message')}
        </Button>
      )}
      {hasText ? (
        <TextSettings draft={draft} onChange={onChange} />
      ) : (
        <MediaSettings draft={draft} onChange={onChange} />
      )}
    </div>
  );
}

type TurnFieldProps = {
  readonly turn: Turn;
  readonly label: string;
  readonly hasPictures: boolean;
  readonly onChange: (change: (turn: Turn) => Turn) => void;
  readonly onRemove?: () => void;
};

function TurnField({ turn, label, hasPictures, onChange, onRemove }: TurnFieldProps) {
  const file = useRef<HTMLInputElement>(null);
  const add = async (files: FileList | null): Promise<void> => {
    try {
      const added = await Promise.all([...(files ?? [])].map(readPicture));
      onChange((now) => ({ ...now, pictures: [...now.pictures, ...added] }));
    } catch (cause) {
      toast(asError(cause).message, { isBad: true });
    }
  };
  return (
    <div className={styles['turn']}>
      <Field label={label}>
        <textarea
          rows={4}
          name="message"
          value={turn.text}
          onChange={({ target }) => onChange((now) => ({ ...now, text: target.value }))}
          placeholder={t('Write a message…')}
        />
      </Field>
      <div className={styles['turnTools']}>
        {hasPictures && (
          <>
            <input
              ref={file}
              type="file"
              accept="image/png,image/jpeg,image/webp,image/gif"
              multiple
              hidden
              onChange={({ target }) => {
                void add(target.files);
                // The same file may be chosen again, once it was removed.
                target.value = '';
              }}
            />
            <Button kind="quiet" icon={<ImagePlus size={14} />} onClick={() => file.current?.click()}>
              {t('Add picture')}
            </Button>
          </>
        )}
        {turn.pictures.length > 0 && (
          <Button kind="quiet" onClick={() => onChange((now) => ({ ...now, pictures: [] }))}>
            {t('Remove pictures')}
          </Button>
        )}
        {onRemove !== undefined && (
          <Button kind="quiet" icon={<X size={14} />} aria-label={t('Remove message')} onClick={onRemove} />
        )}
      </div>
      <Pictures pictures={turn.pictures} />
    </div>
  );
}

const efforts = (): readonly (readonly [Effort, string])[] => [
  ['off', t('Model default')],
  ['low', t('Low')],
  ['medium', t('Medium')],
  ['high', t('High')],
];

type SettingsProps = Omit<ComposerProps, 'onTurn'>;

const TextSettings = ({ draft, onChange }: SettingsProps) => (
  <>
    <div className={styles['settings']}>
      <Field label={t('Thinking')}>
        <select value={draft.effort} onChange={({ target }) => onChange({ effort: target.value as Effort })}>
          {efforts().map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t('Max tokens')}>
        <input
          inputMode="numeric"
          value={draft.maxTokens}
          onChange={({ target }) => onChange({ maxTokens: target.value.replaceAll(/\D/g, '') })}
        />
      </Field>
      <Field label={t('Temperature')}>
        <input
          inputMode="decimal"
          value={draft.temperature}
          onChange={({ target }) => onChange({ temperature: target.value.replace(',', '.').replaceAll(/[^\d.]/g, '') })}
        />
      </Field>
    </div>
    <details className={styles['tools']} open={draft.tools !== ''}>
      <summary>{t('Tools')}</summary>
      <Field
        label={t('A list of tools as JSON')}
        error={parseTools(draft.tools) === undefined ? t('Not a list of tools with names.') : undefined}
      >
        <textarea
          rows={6}
          className={styles['code']}
          value={draft.tools}
          spellCheck={false}
          onChange={({ target }) => onChange({ tools: target.value })}
        />
      </Field>
      <Button kind="quiet" onClick={() => onChange({ tools: EXAMPLE_TOOLS })}>
        {t('Insert an example')}
      </Button>
    </details>
  </>
);

const MediaSettings = ({ draft, onChange }: SettingsProps) => (
  <div className={styles['settings']}>
    <Field label={draft.mode === 'video' ? t('Resolution') : t('Size')}>
      <input
        value={draft.size}
        placeholder={draft.mode === 'video' ? '720p' : '1024x1024'}
        onChange={({ target }) => onChange({ size: target.value.trim() })}
      />
    </Field>
    {draft.mode === 'video' && (
      <>
        <Field label={t('Seconds')}>
          <input
            inputMode="numeric"
            value={draft.seconds}
            onChange={({ target }) => onChange({ seconds: target.value.replaceAll(/\D/g, '') })}
          />
        </Field>
        <Field label={t('Aspect ratio')}>
          <input
            value={draft.ratio}
            placeholder="16:9"
            onChange={({ target }) => onChange({ ratio: target.value.trim() })}
          />
        </Field>
      </>
    )}
  </div>
);
