/** A request as something to paste elsewhere. Never with content or a key. */
import { scopedPath } from '../../api/client.ts';
import { triviumLine } from '../../format/shell.ts';
import { type CopyForm, readForms } from '../../parts/base/copy.tsx';
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
  scopedPath(`requests/${encodeURIComponent(id)}${rest}`, account);

export const copyForms = (request: RequestDetail, account: string | null): readonly CopyForm[] => [
  ...readForms(
    requestPath(request.id, account),
    triviumLine(['requests', 'show', request.id], [['account', account ?? undefined]]),
  ),
  { name: 'Markdown', text: () => markdown(request) },
];
