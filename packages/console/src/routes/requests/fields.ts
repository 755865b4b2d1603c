/** What requests can be filtered by: the parameters of the admin API. */

import { t } from '../../i18n/t.ts';
import type { FilterField } from '../../parts/list/filter-bar.tsx';

export const requestFields = (): readonly FilterField[] => [
  {
    id: 'outcome',
    label: t('Outcome'),
    choices: [
      { value: 'ok', text: t('ok') },
      { value: 'failed', text: t('not ok') },
      { value: 'caller', text: t("caller's errors") },
      { value: 'upstream', text: t("provider's errors") },
      { value: 'gateway', text: t("gateway's errors") },
      { value: 'interrupted', text: t('interrupted') },
    ],
  },
  { id: 'status', label: t('Status'), example: '5xx' },
  { id: 'model', label: t('Model'), example: 'openai/*' },
  { id: 'askedModel', label: t('Asked model'), example: 'gpt-*' },
  { id: 'provider', label: t('Provider'), example: 'groq' },
  {
    id: 'protocol',
    label: t('Protocol'),
    choices: ['chat', 'responses', 'messages', 'genai'].map((value) => ({ value, text: value })),
  },
  {
    id: 'operation',
    label: t('Operation'),
    choices: ['text', 'embed', 'image', 'video'].map((value) => ({ value, text: value })),
  },
  { id: 'key', label: t('Key'), example: 'key_…' },
  { id: 'member', label: t('Member'), example: 'mem_…' },
  { id: 'minCostUsd', label: t('Cost at least'), example: '0.10' },
  { id: 'minDurationMs', label: t('Duration at least, ms'), example: '5000' },
  { id: 'id', label: t('Request id'), example: '01M7…, chatcmpl-…' },
];
