/** The filters of a list under names: saved, applied, removed. What is behind the button is loaded when it is pressed. */
import { Bookmark } from 'lucide-react';
import { Suspense, useState } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { lazyPart } from '../../parts/base/lazy-part.ts';

const ViewsDialog = lazyPart(() => import('./views-dialog.tsx'), 'ViewsDialog');

export function SavedViews({ page }: { readonly page: 'requests' | 'usage' }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Bookmark size={14} />} onClick={() => setOpen(true)}>
        {t('Views')}
      </Button>
      {isOpen && (
        <Suspense>
          <ViewsDialog page={page} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
