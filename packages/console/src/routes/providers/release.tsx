/** Closes open circuits before their time. */

import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import type { Provider } from './names.tsx';

export type ReleaseProps = {
  readonly provider: Provider;
  /** Undefined: all of its models. */
  readonly model: string | undefined;
  readonly onClose: () => void;
};

export function ReleaseCircuits({ provider: { id, displayName }, model, onClose }: ReleaseProps) {
  const write = useWrite();
  const body = model === undefined ? {} : { model };
  return (
    <WriteDialog
      title={t('Bring back {name}', { name: model ?? displayName })}
      action={t('Bring back')}
      onClose={onClose}
      write={write('post', '/admin/v1/providers/{id}/release', { path: { id }, body }, [
        '/admin/v1/providers',
        '/admin/v1/providers/{id}',
        '/admin/v1/models',
      ])}
      cli={triviumLine(['providers', 'release', id], [['model', model]])}
      onDone={({ released }) =>
        toast(t('{count, plural, one {# circuit} other {# circuits}} closed.', { count: released }))
      }
    >
      <p>{t('It gets calls again at once, on all nodes. If it still fails, its circuit opens again.')}</p>
    </WriteDialog>
  );
}
