// Content capture: `trivium accounts capture …`, `trivium requests wire …` and `trivium requests replay …`.

import type { Command } from 'commander';
import { type AdminOptions, callAdmin, isRow, part, printOne, type Row, withAdminOptions } from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type CaptureOptions = AdminOptions & {
  readonly key?: string;
  readonly bodies?: string;
  readonly until?: string;
  readonly samplePercent?: string;
  readonly keepHours?: string;
};

const recordsPath = (account: string, key?: string): string =>
  `/accounts/${part(account)}${key === undefined ? '' : `/keys/${part(key)}`}/records`;

const changeOf = ({ bodies, until, samplePercent, keepHours }: CaptureOptions): Row => ({
  ...(bodies !== undefined && { bodies }),
  ...(until !== undefined && { until }),
  ...(samplePercent !== undefined && { samplePercent: Number(samplePercent) }),
  ...(keepHours !== undefined && { keepHours: Number(keepHours) }),
});

/** Below `trivium accounts`. */
export const addCapture = (accounts: Command, terminal: Terminal): void => {
  withAdminOptions(
    accounts
      .command('capture')
      .description('show or change what is captured of the content of requests')
      .argument('<account>'),
  )
    .option('--key <id>', 'only of this key')
    .option('--bodies <which>', 'off, errors, sample or all; inherit for a key')
    .option('--until <time>', 'when capturing ends, such as 2026-12-31T00:00:00Z')
    .option('--sample-percent <percent>', 'share of requests with --bodies sample')
    .option('--keep-hours <hours>', 'how long content is kept')
    .action(async (account: string, options: CaptureOptions) => {
      const change = changeOf(options);
      const path = recordsPath(account, options.key);
      const answer =
        Object.keys(change).length === 0
          ? await callAdmin(terminal, options, 'GET', path)
          : await callAdmin(terminal, options, 'PATCH', path, change);
      printOne(terminal, options, answer);
    });
  withAdminOptions(
    accounts
      .command('erase-content')
      .description('erase all captured content of an account, on every node')
      .argument('<account>'),
  ).action(async (account: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'DELETE', recordsPath(account))),
  );
};

const PANES = {
  callerRequest: 'caller to gateway',
  hostRequest: 'gateway to provider',
  hostResponse: 'provider to gateway',
  callerResponse: 'gateway to caller',
} as const;

/** Bodies as they were sent; longer ones are for `--json`. */
const SHOWN_LENGTH = 4000;

const rowsIn = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

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

type WireOptions = AdminOptions & { readonly account?: string; readonly attempt?: string };

type ReplayOptions = AdminOptions & {
  readonly account?: string;
  readonly key: string;
  readonly model?: string;
  readonly provider?: string;
  readonly strict?: true;
  readonly dryRun?: true;
};

const belowOf = (account: string | undefined): string =>
  account === undefined ? '/requests' : `/accounts/${part(account)}/requests`;

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

function addReplay(requests: Command, terminal: Terminal): void {
  withAdminOptions(
    requests
      .command('replay')
      .description('send a captured request again, to the same or another model or provider')
      .argument('<id>', 'x-request-id, or the id of the answer')
      .requiredOption('--key <id>', 'key of its account that is charged')
      .option('--account <id>', 'its account; required for a key that manages one')
      .option('--model <model>', 'another model')
      .option('--provider <provider>', 'only this provider')
      .option('--strict', 'fail rather than lose anything')
      .option('--dry-run', 'print where it would go, and send nothing'),
  ).action(async (id: string, options: ReplayOptions) => {
    const { account, key, model, provider, strict, dryRun } = options;
    const body = {
      keyId: key,
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
      ...(strict !== undefined && { strict }),
      ...(dryRun !== undefined && { dryRun }),
    };
    const replay = await callAdmin(terminal, options, 'POST', `${belowOf(account)}/${part(id)}/replay`, body);
    if (options.json) terminal.print(JSON.stringify(replay, null, 2));
    else for (const line of replayLines(replay)) terminal.print(line);
  });
}

/** Below `trivium requests`. */
export const addWire = (requests: Command, terminal: Terminal): void => {
  addReplay(requests, terminal);
  withAdminOptions(
    requests
      .command('wire')
      .description('print the captured bytes of a request, and what was changed on the way')
      .argument('<id>', 'x-request-id, or the id of the answer')
      .option('--account <id>', 'its account; required for a key that manages one')
      .option('--attempt <number>', 'which call to a provider (default: the last)'),
  ).action(async (id: string, options: WireOptions) => {
    const { account, attempt } = options;
    const query = attempt === undefined ? '' : `?attempt=${encodeURIComponent(attempt)}`;
    const wire = await callAdmin(terminal, options, 'GET', `${belowOf(account)}/${part(id)}/wire${query}`);
    if (options.json) terminal.print(JSON.stringify(wire, null, 2));
    else for (const line of wireLines(wire)) terminal.print(line);
  });
};
