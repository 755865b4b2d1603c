/** What requests can be filtered by: the parameters of the admin API. */
import { msg } from '../../i18n/t.ts';
import type { FilterField } from '../../parts/list/filter-bar.tsx';
import { OUTCOME_NAMES } from '../../parts/values/outcome.tsx';

const same = (values: readonly string[]) => values.map((value) => ({ value, text: value }));

export const REQUEST_FIELDS: readonly FilterField[] = [
  {
    id: 'outcome',
    label: msg('Outcome'),
    choices: {
      ok: msg('ok'),
      failed: msg('not ok'),
      caller: OUTCOME_NAMES.caller,
      upstream: OUTCOME_NAMES.upstream,
      gateway: OUTCOME_NAMES.gateway,
      interrupted: msg('interrupted'),
    },
  },
  { id: 'status', label: msg('Status'), example: '5xx' },
  { id: 'model', label: msg('Model'), example: 'openai/*' },
  { id: 'askedModel', label: msg('Asked model'), example: 'gpt-*' },
  { id: 'provider', label: msg('Provider'), example: 'groq' },
  { id: 'protocol', label: msg('Protocol'), choices: same(['chat', 'responses', 'messages', 'genai']) },
  {
    id: 'operation',
    label: msg('Operation'),
    choices: same(['text', 'embed', 'rerank', 'moderate', 'image', 'video', 'speech', 'transcription', 'passthrough']),
  },
  { id: 'key', label: msg('Key'), example: 'key_…' },
  { id: 'member', label: msg('Member'), example: 'mem_…' },
  { id: 'minCostUsd', label: msg('Cost at least'), example: '0.10' },
  { id: 'minDurationMs', label: msg('Duration at least, ms'), example: '5000' },
  { id: 'conversation', label: msg('Conversation'), example: 'k3Jd…' },
  { id: 'id', label: msg('Request id'), example: '01M7…, chatcmpl-…' },
];
