/** A request as something to paste elsewhere. Never with content or a key. */
import { triviumLine } from '../../format/shell.ts';
import { adminCurl, type CopyForm } from '../../parts/base/copy.tsx';
import type { RequestDetail } from './source.ts';

const markdown = (request: RequestDetail): string =>
  [
    `**Request** \`${request.id}\``,
    '',
    '| | |',
    '|---|---|',
    `| Received | ${request.receivedAt} |`,
    `| Outcome | ${request.outcome} (${request.status}) |`,
    `| Model | asked \`${request.askedModel ?? '–'}\`, called \`${request.model ?? '–'}\` at ${request.provider ?? '–'} |`,
    `| Protocol | ${request.protocol}, ${request.lane ?? 'no lane'}${request.stream ? ', stream' : ''} |`,
    `| Attempts | ${request.attempts.map(({ provider, outcome, status }) => `${provider}: ${outcome}${status === null ? '' : ` ${status}`}`).join('; ')} |`,
    `| Losses | ${request.losses.map(({ field, why }) => `\`${field}\`: ${why}`).join('; ') || 'none'} |`,
    `| Times | first token ${request.firstTokenMs ?? '–'} ms, total ${request.durationMs} ms |`,
  ].join('\n');

/** Below the account for its members, who may not call what is about all accounts. `account`: null for operators. */
export const requestPath = (id: string, account: string | null, rest = ''): string =>
  `/admin/v1/${account === null ? '' : `accounts/${encodeURIComponent(account)}/`}requests/${encodeURIComponent(id)}${rest}`;

export const copyForms = (request: RequestDetail, account: string | null): readonly CopyForm[] => [
  { name: 'curl', text: () => adminCurl('GET', requestPath(request.id, account)) },
  {
    name: 'trivium',
    text: () => triviumLine(['requests', 'show', request.id], [['account', account ?? undefined]]),
  },
  { name: 'Markdown', text: () => markdown(request) },
];
