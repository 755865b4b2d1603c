/** A new secret, with how it is used. */

import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { CodeBlock } from '../../parts/base/copy.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { useMe } from '../../state/session.ts';
import { keySnippets } from './snippets.ts';

export type RevealKeyProps = {
  readonly made: Schemas['KeyWithSecret'] | undefined;
  readonly onClose: () => void;
};

export function RevealKey({ made, onClose }: RevealKeyProps) {
  const { gateway } = useMe();
  const [form, set] = useForm({ url: gateway.url, use: 'openai' });
  const snippets = keySnippets(form.url.replace(/\/+$/, ''), made?.secret ?? '');
  const snippet = snippets.find(({ id }) => id === form.use) ?? snippets[0];
  return (
    <Reveal title={t('Secret of {name}', { name: made?.key.name ?? '' })} secret={made?.secret} onClose={onClose}>
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'use', label: t('Use it with'), options: snippets.map(({ id, title }) => [id, title]) },
            {
              name: 'url',
              label: t('Address of the gateway'),
              hint: gateway.isConfigured
                ? undefined
                : t('Address of the listener. Set listen.publicUrl to the one callers use.'),
              spellCheck: false,
            },
          ],
        ]}
      />
      {snippet !== undefined && <CodeBlock title={snippet.title} text={snippet.text} />}
    </Reveal>
  );
}
