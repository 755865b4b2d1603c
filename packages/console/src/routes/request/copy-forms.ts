/** A request as something to paste elsewhere. Never with content or a key. */
import { adminCurl, type CopyForm } from '../../parts/copy.tsx';
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

export const copyForms = (request: RequestDetail): readonly CopyForm[] => [
  { name: 'curl', text: () => adminCurl('GET', `/admin/v1/requests/${request.id}`) },
  { name: 'trivium', text: () => `trivium requests show ${request.id}` },
  { name: 'Markdown', text: () => markdown(request) },
];
