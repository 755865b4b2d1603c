/** How a new key is used: with which client, at which address. */

import { t } from '../../i18n/t.ts';
import { CodeBlock } from '../../parts/base/copy.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { keySnippets } from './snippets.ts';

export type UseKeyProps = {
  readonly url: string;
  readonly secret: string;
  /** Of the address. */
  readonly hint?: string | undefined;
};

export function UseKey({ url, secret, hint }: UseKeyProps) {
  const [form, set] = useForm({ url, use: 'openai' });
  const snippets = keySnippets(form.url.replace(/\/+$/, ''), secret);
  const snippet = snippets.find(({ id }) => id === form.use) ?? snippets[0];
  return (
    <>
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'use', label: t('Use it with'), options: snippets.map(({ id, title }) => [id, title]) },
            { name: 'url', label: t('Address of the gateway'), hint, spellCheck: false },
          ],
        ]}
      />
      {snippet !== undefined && <CodeBlock title={snippet.title} text={snippet.text} />}
    </>
  );
}
