// Captured content of a request, and what a replay of it would do, in lines.

import { isRow, type Row } from '../admin-client.ts';
import { rowsIn } from '../table.ts';

const PANES = {
  callerRequest: 'caller to gateway',
  hostRequest: 'gateway to provider',
  hostResponse: 'provider to gateway',
  callerResponse: 'gateway to caller',
} as const;

/** Bodies as they were sent; longer ones are for `--json`. */
const SHOWN_LENGTH = 4000;

function paneLines(title: string, pane: Row): readonly string[] {
  const body = String(pane['body'] ?? '');
  const rest = body.length - SHOWN_LENGTH;
  const frames = rowsIn(pane['frames']);
  const times =
    frames.length < 2 ? '' : `, ${frames.length} frames from ${frames[0]?.['atMs']} to ${frames.at(-1)?.['atMs']} ms`;
  return [
    '',
    `${title}: ${String(pane['bytes'])} bytes${times}${pane['truncated'] === true ? ', truncated' : ''}`,
    String(pane['startLine']),
    ...rowsIn(pane['headers']).map(({ name, value }) => `${String(name)}: ${String(value)}`),
    '',
    body.slice(0, SHOWN_LENGTH),
    ...(rest > 0 ? [`… ${rest} more characters; --json prints all`] : []),
  ];
}

const placeText = (place: unknown): string =>
  isRow(place) ? `${String(place['pane'])}${place['start'] === null ? '' : ` ${place['start']}-${place['end']}`}` : '';

const markLine = ({ kind, path, why, from, to }: Row): string =>
  [kind, path ?? '', why, [from, to].map(placeText).filter(Boolean).join(' to ')].map(String).join('  ');

export function wireLines(wire: Row): readonly string[] {
  if (wire['captured'] !== true) return [`not captured: ${String(wire['why'])}`];
  const panes = isRow(wire['panes']) ? wire['panes'] : {};
  const marks = rowsIn(wire['marks']);
  return [
    `call ${String(wire['attempt'] ?? '-')} of ${rowsIn(wire['attempts']).length}, kept until ${String(wire['expiresAt'])}`,
    ...Object.entries(PANES).flatMap(([name, title]) => {
      const pane = panes[name];
      return isRow(pane) ? paneLines(title, pane) : [];
    }),
    ...(marks.length === 0 ? [] : ['', 'marks: S edit, L loss, A approximated, E sealed state, K secret removed']),
    ...marks.map(markLine),
  ];
}

const lossText = ({ field, why }: Row): string => `${String(field)} (${String(why)})`;

function stepLine({ provider, model, lane, losses, refusal }: Row, index: number): string {
  if (lane === null) return `${index + 1}  ${String(provider)}  ${String(model)}  refused: ${String(refusal)}`;
  const lost = rowsIn(losses).map(lossText).join(', ');
  return `${index + 1}  ${String(provider)}  ${String(model)}  ${String(lane)}${lost === '' ? '' : `  loses ${lost}`}`;
}

export function replayLines(replay: Row): readonly string[] {
  const left = [
    ['seals', replay['sealsRemoved']],
    ['secrets', replay['secretsRemoved']],
  ].flatMap(([what, count]) => (Number(count) > 0 ? [`left out: ${count} ${what}`] : []));
  const answer = replay['answer'];
  if (!isRow(answer)) return [...left, ...rowsIn(replay['plan']).map(stepLine)];
  return [...left, `${String(replay['requestId'])}  ${String(answer['status'])}`, '', String(answer['body'])];
}
