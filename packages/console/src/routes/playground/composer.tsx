/** What is asked: a form, or the JSON that follows from it and may be changed by hand. */

import { ImagePlus, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { msg, t, translated } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toastProblem } from '../../parts/base/toast.tsx';
import { Fields } from '../../parts/form/fields.tsx';
import { Field } from '../../parts/form/form.tsx';
import { type Draft, type Effort, isText, type Mode, type Turn } from './draft.ts';
import { Pictures, readFile } from './media.tsx';
import styles from './playground.module.css';
import { EXAMPLE_TOOLS, parseTools } from './tools.ts';

export type ComposerProps = {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Of one message as it then is: a picture is there a moment after it was chosen. */
  readonly onTurn: (index: number, change: (turn: Turn) => Turn) => void;
  /** What is listened to. */
  readonly recording: File | undefined;
  readonly onRecording: (file: File) => void;
};

const PROMPTS: Readonly<Partial<Record<Mode, string>>> = {
  speech: msg('Text to speak'),
  rerank: msg('Query'),
};

export function Composer({ draft, onChange, onTurn, recording, onRecording }: ComposerProps) {
  const hasText = isText(draft.mode);
  const shown = hasText ? draft.turns : draft.mode === 'transcription' ? [] : draft.turns.slice(-1);
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
          label={!hasText ? t(PROMPTS[draft.mode] ?? msg('Prompt')) : turn.role === 'user' ? t('User') : t('Assistant')}
          hasPictures={(hasText || draft.mode === 'video') && turn.role === 'user'}
          onChange={(change) => onTurn(place + offset, change)}
          {...(hasText &&
            draft.turns.length > 1 && {
              onRemove: () => onChange({ turns: draft.turns.filter((_, index) => index !== place) }),
            })}
        />
      ))}
      {draft.mode === 'transcription' && <Recording file={recording} onChoose={onRecording} />}
      {draft.mode === 'rerank' && (
        <Field label={t('Documents, one per line')}>
          <textarea rows={6} value={draft.documents} onChange={({ target }) => onChange({ documents: target.value })} />
        </Field>
      )}
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
      const added = await Promise.all([...(files ?? [])].map(readFile));
      onChange((now) => ({ ...now, pictures: [...now.pictures, ...added] }));
    } catch (cause) {
      toastProblem(cause);
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

/** The admin API takes bodies of 16 MiB, and base64 is a third longer. */
const MAX_RECORDING = 11_900_000;

function Recording({ file, onChoose }: { readonly file: File | undefined; readonly onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const take = (chosen: File | undefined): void => {
    if (chosen === undefined) return;
    if (chosen.size > MAX_RECORDING) toastProblem(new Error(t('The playground takes recordings of up to 11.9 MB.')));
    else onChoose(chosen);
  };
  return (
    <div className={styles['turnTools']}>
      <input
        ref={input}
        type="file"
        accept="audio/*,video/*"
        hidden
        onChange={({ target }) => {
          take(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button icon={<Plus size={14} />} onClick={() => input.current?.click()}>
        {t('Choose a recording')}
      </Button>
      <span>{file?.name}</span>
    </div>
  );
}

const EFFORTS: Readonly<Record<Effort, string>> = {
  off: msg('Model default'),
  low: msg('Low'),
  medium: msg('Medium'),
  high: msg('High'),
};

type SettingsProps = Pick<ComposerProps, 'draft' | 'onChange'>;

/** Those that players of browsers know. */
const SOUNDS: Readonly<Record<string, string>> = {
  '': msg('Model default'),
  mp3: 'mp3',
  wav: 'wav',
  opus: 'opus',
  aac: 'aac',
  flac: 'flac',
};
const WORDS: Readonly<Record<string, string>> = {
  '': 'json',
  verbose_json: 'verbose_json',
  diarized_json: 'diarized_json',
  text: 'text',
  srt: 'srt',
  vtt: 'vtt',
};

/** What is typed into a number is a number. */
const cleaned = ({ maxTokens, temperature, seconds, size, ratio, best, ...rest }: Partial<Draft>): Partial<Draft> => ({
  ...rest,
  ...(maxTokens !== undefined && { maxTokens: maxTokens.replaceAll(/\D/g, '') }),
  ...(temperature !== undefined && { temperature: temperature.replace(',', '.').replaceAll(/[^\d.]/g, '') }),
  ...(seconds !== undefined && { seconds: seconds.replaceAll(/\D/g, '') }),
  ...(best !== undefined && { best: best.replaceAll(/\D/g, '') }),
  ...(size !== undefined && { size: size.trim() }),
  ...(ratio !== undefined && { ratio: ratio.trim() }),
});

const TextSettings = ({ draft, onChange }: SettingsProps) => (
  <>
    <Fields
      className={styles['settings']}
      form={[draft, (patch) => onChange(cleaned(patch))]}
      rows={[
        [
          { name: 'effort', label: t('Thinking'), options: translated(EFFORTS) },
          { name: 'maxTokens', label: t('Max tokens'), inputMode: 'numeric' },
          { name: 'temperature', label: t('Temperature'), inputMode: 'decimal' },
        ],
      ]}
    />
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

const MediaSettings = ({ draft, onChange }: SettingsProps) => {
  const isVideo = draft.mode === 'video';
  return (
    <Fields
      className={styles['settings']}
      form={[draft, (patch) => onChange(cleaned(patch))]}
      rows={[
        [
          (isVideo || draft.mode === 'image') && {
            name: 'size',
            label: isVideo ? t('Resolution') : t('Size'),
            placeholder: isVideo ? '720p' : '1024x1024',
          },
          isVideo && { name: 'seconds', label: t('Seconds'), inputMode: 'numeric' },
          isVideo && { name: 'ratio', label: t('Aspect ratio'), placeholder: '16:9' },
          draft.mode === 'speech' && { name: 'voice', label: t('Voice'), placeholder: 'alloy' },
          draft.mode === 'speech' && { name: 'soundFormat', label: t('Format'), options: translated(SOUNDS) },
          draft.mode === 'transcription' && { name: 'language', label: t('Language'), placeholder: 'en' },
          draft.mode === 'transcription' && { name: 'wordsFormat', label: t('Format'), options: WORDS },
          draft.mode === 'rerank' && {
            name: 'best',
            label: t('How many results'),
            placeholder: t('all'),
            inputMode: 'numeric',
          },
        ],
      ]}
    />
  );
};
