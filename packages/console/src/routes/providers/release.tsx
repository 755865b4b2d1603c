import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { invalidate } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Provider, providerPath } from './names.tsx';

export type ReleaseProps = {
  readonly provider: Provider;
  /** Undefined: all of its models. */
  readonly model: string | undefined;
  readonly onClose: () => void;
};

/** Closes open circuits before their time. */
export function ReleaseCircuits({ provider: { id, displayName }, model, onClose }: ReleaseProps) {
  const client = useQueryClient();
  const body = model === undefined ? {} : { model };
  return (
    <WriteDialog
      title={t('Bring back {name}', { name: model ?? displayName })}
      action={t('Bring back')}
      onClose={onClose}
      onSave={async () => {
        const { released } = await call('post', '/admin/v1/providers/{id}/release', { path: { id }, body });
        invalidate(client, ['/admin/v1/providers', '/admin/v1/providers/{id}', '/admin/v1/models']);
        toast(t('{count, plural, one {# circuit} other {# circuits}} closed.', { count: released }));
      }}
      command={{
        method: 'POST',
        path: providerPath(id, '/release'),
        body,
        cli: triviumLine(['providers', 'release', id], [['model', model]]),
      }}
    >
      <p>{t('It gets calls again at once, on all nodes. If it still fails, its circuit opens again.')}</p>
    </WriteDialog>
  );
}
