import { Link } from '@tanstack/react-router';
import { t } from '../../i18n/t.ts';
import { EmptyState } from '../base/empty-state.tsx';

export const NotFound = () => (
  <EmptyState title={t('This page does not exist, or your role may not see it.')}>
    <Link to="/">{t('Back to the start')}</Link>
  </EmptyState>
);
