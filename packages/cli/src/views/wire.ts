// Captured and stored content of a request, and what a replay of it would do, in lines.

import type { Replay, Stored, Wire } from '@trivium/gateway/commands';

type Panes = NonNullable<Wire['panes']>;
type Mark = Wire['marks'][number];

const PANES = {
  callerRequest: 'caller to gateway',
  hostRequest: 'gateway to provider',
  hostResponse: 'provider to gateway',
  callerResponse: 'gateway to caller',
} as const satisfies Record<keyof Panes, string>;

/** Bodies as they were sent; longer ones are for `--json`. */
const SHOWN_LENGTH = 4000;

function paneLines(title: string, pane: Panes[keyof Panes]): readonly string[] {
  if (pane === null) return [];
  const { startLine, headers, body, bytes, truncated, frames } = pane;
  const times =
    frames.length < 2 ? '' : `, ${frames.length} frames from ${frames[0]?.atMs} to ${frames.at(-1)?.atMs} ms`;
  return [
    '',
    `${title}: ${bytes} bytes${times}${truncated ? ', truncated' : ''}`,
    startLine,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    '',
    ...bodyLines(body),
  ];
}

function bodyLines(body: string): readonly string[] {
  const rest = body.length - SHOWN_LENGTH;
  return [body.slice(0, SHOWN_LENGTH), ...(rest > 0 ? [`… ${rest} more characters; --json prints all`] : [])];
}

export function storedLines(of: Stored): readonly string[] {
  if (!of.stored) return [`${of.responseId}  not stored`];
  const { responseId, expiresAt, previousRequestId, conversationId } = of;
  const parts = (['input', 'response'] as const).flatMap((name) => {
    const part = of[name];
    if (part === null) return [];
    return ['', `${name}: ${part.bytes} bytes${part.truncated ? ', truncated' : ''}`, ...bodyLines(part.body)];
  });
  return [
    `${responseId}  ${expiresAt === null ? 'still being made' : `kept until ${expiresAt}`}`,
    ...(previousRequestId === null ? [] : [`follows the response of ${previousRequestId}`]),
    ...(conversationId === null ? [] : [`added to ${conversationId}`]),
    ...parts,
  ];
}

function markLine({ kind, path, why, from, to }: Mark): string {
  const places = [from, to].flatMap((place) =>
    place === null ? [] : [`${place.pane}${place.start === null ? '' : ` ${place.start}-${place.end}`}`],
  );
  return [kind, path ?? '', why, places.join(' to ')].join('  ');
}

export function wireLines({ captured, why, expiresAt, attempt, attempts, panes, marks }: Wire): readonly string[] {
  if (!captured) return [`not captured: ${why}`];
  return [
    `call ${attempt ?? '-'} of ${attempts.length}, kept until ${expiresAt}`,
    ...(panes === null
      ? []
      : Object.entries(PANES).flatMap(([name, title]) => paneLines(title, panes[name as keyof Panes]))),
    ...(marks.length === 0 ? [] : ['', 'marks: S edit, L loss, A approximated, E sealed state, K redacted']),
    ...marks.map(markLine),
  ];
}

function stepLine(
  { provider, model, lane, losses, refusal }: NonNullable<Replay['plan']>[number],
  index: number,
): string {
  const lost = losses.map(({ field, why }) => `${field} (${why})`).join(', ');
  const outcome = lane === null ? `refused: ${refusal}` : `${lane}${lost === '' ? '' : `  loses ${lost}`}`;
  return `${index + 1}  ${provider}  ${model}  ${outcome}`;
}

export function replayLines({ sealsRemoved, secretsRemoved, plan, requestId, answer }: Replay): readonly string[] {
  const left = [
    ...(sealsRemoved > 0 ? [`left out: ${sealsRemoved} seals`] : []),
    ...(secretsRemoved > 0 ? [`left out: ${secretsRemoved} secrets`] : []),
  ];
  if (answer === null) return [...left, ...(plan ?? []).map(stepLine)];
  return [...left, `${requestId}  ${answer.status}`, '', answer.body];
}
