import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { CodeBlock } from '../../parts/base/code-block.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import styles from './keys.module.css';
import { keySnippets } from './snippets.ts';

/** The default of `listen.port`: the console knows its own address only. */
const GATEWAY_PORT = 8080;

export type RevealKeyProps = {
  readonly made: Schemas['KeyWithSecret'] | undefined;
  readonly onClose: () => void;
};

export function RevealKey({ made, onClose }: RevealKeyProps) {
  const [url, setUrl] = useState(`${location.protocol}//${location.hostname}:${GATEWAY_PORT}`);
  const [chosen, setChosen] = useState('openai');
  const snippets = keySnippets(url.replace(/\/+$/, ''), made?.secret ?? '');
  const snippet = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  return (
    <Reveal title={t('Secret of {name}', { name: made?.key.name ?? '' })} secret={made?.secret} onClose={onClose}>
      <div className={styles['use']}>
        <Field label={t('Use it with')}>
          <select value={chosen} onChange={(event) => setChosen(event.target.value)}>
            {snippets.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t('Address of the gateway')}>
          <input value={url} onChange={(event) => setUrl(event.target.value)} spellCheck={false} />
        </Field>
      </div>
      {snippet !== undefined && <CodeBlock title={snippet.title} text={snippet.text} />}
    </Reveal>
  );
}
