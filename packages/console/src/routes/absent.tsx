/** Stands in for a page that is not written yet. */
import { t } from '../i18n/t.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageFrame } from '../parts/page.tsx';

export const Page = () => (
  <PageFrame title={t('Not built yet')}>
    <EmptyState title={t('The admin API and the trivium command have what this page will show.')} />
  </PageFrame>
);
