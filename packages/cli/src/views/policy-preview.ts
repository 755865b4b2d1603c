// How a request is planned now and with a draft of a policy, in lines.

import type { PolicyPreview } from '@trivium/gateway/commands';

const planLines = (title: string, { refusal, plan, policies, leftOut }: PolicyPreview['before']): readonly string[] => [
  `${title}: ${refusal ?? plan.map(({ provider, model }) => `${provider} ${model}`).join(' → ')}`,
  ...policies.map(({ member, policy }) => `  ${member}: ${policy}`),
  ...leftOut.map(
    ({ provider, model, why, policy }) =>
      `  left out: ${provider} ${model}, ${why}${policy === undefined ? '' : ` (${policy})`}`,
  ),
];

export const previewLines = ({ basis, before, after }: PolicyPreview): readonly string[] => [
  ...planLines('now', before),
  ...planLines('with the draft', after),
  ...(basis === 'captured' ? [] : ['The body is not captured: a short one was planned instead.']),
];
