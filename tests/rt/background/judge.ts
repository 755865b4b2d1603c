/** Compares the rows of responses in the background with the ledger, with what their callers were told and with what can be read. */
import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { TOKEN_NANO } from '../parts/money.ts';
import { type Event, type Read, read, replay, type Told } from './callers.ts';

type Row = {
  id: string;
  state: string;
  run: number;
  streamed: boolean;
  hold: string | null;
  charges: number;
  charged: string;
  records: number;
  recorded: string;
};

const ROWS = `
  select j.id, j.state, j.run, j.is_streamed as streamed, h.state as hold, e.charges, e.charged, u.records, u.recorded
  from background_jobs j left join ledger_holds h on h.id = j.request_id
    cross join lateral (select count(*)::int as charges, coalesce(sum(amount), 0)::text as charged
      from ledger_entries where id = j.request_id and kind = 'charge') e
    cross join lateral (select count(*)::int as records, coalesce(sum(cost_nano), 0)::text as recorded
      from usage_events where request_id = j.request_id) u`;

export const unfinished = async (db: Client): Promise<number> =>
  Number((await db.query('select count(*) as n from background_jobs where finished_at is null')).rows[0].n);

export async function judge(
  db: Client,
  nodes: readonly GatewayProcess[],
  tellings: readonly Told[],
  random: () => number,
  say: (text: string) => void,
) {
  const { rows } = await db.query<Row>(ROWS);
  const holds = await db.query(`select count(*) as n from ledger_holds where state = 'open'`);
  const told = new Map(tellings.map((one) => [one.id, one]));
  const found = {
    responses: rows.length,
    completed: 0,
    failed: 0,
    failedInVain: 0,
    runAgain: 0,
    forgotten: tellings.filter(({ id }) => !rows.some((row) => row.id === id)).length,
    chargedWrongly: 0,
    shownWrongly: 0,
    replayedWrongly: 0,
    toldOtherwise: 0,
    openHolds: Number(holds.rows[0].n),
  };
  for (const [at, row] of rows.entries()) {
    const node = nodes[at % nodes.length]!;
    const shown = await read(node, row.id);
    if (row.state === 'completed') found.completed++;
    if (row.state === 'failed') found.failed++;
    if (row.state === 'completed' && row.run > 1) found.runAgain++;
    const blame = (
      what: 'failedInVain' | 'chargedWrongly' | 'shownWrongly' | 'replayedWrongly' | 'toldOtherwise',
      by: unknown,
    ): void => {
      found[what]++;
      say(`${what}: ${JSON.stringify(row)} ${JSON.stringify(by).slice(0, 600)}`);
    };
    // Only what callers may have read a part of may end so.
    if (row.state === 'failed' && !(row.streamed && row.run > 1)) blame('failedInVain', shown);
    if (shown.status !== row.state) blame('shownWrongly', shown);
    if (!isPaid(row, shown)) blame('chargedWrongly', shown.usage ?? null);
    if (!row.streamed) continue;
    const all = await replay(node, row.id);
    if (!isWhole(all, row, shown)) blame('replayedWrongly', all);
    const cut = Math.floor(random() * all.length);
    const rest = await replay(nodes[(at + 1) % nodes.length]!, row.id, cut);
    if (!isDeepStrictEqual(rest, all.slice(cut + 1))) blame('replayedWrongly', { cut, rest });
    const heard = told.get(row.id)?.events ?? [];
    if (!isDeepStrictEqual(heard, all.slice(0, heard.length))) blame('toldOtherwise', heard);
  }
  return found;
}

/** Charged once at its usage if it was made; else not at all. */
function isPaid({ state, hold, charges, charged, records, recorded }: Row, { usage }: Read): boolean {
  if (state !== 'completed') return charges === 0 && hold === 'released';
  const due = BigInt(usage?.output_tokens ?? 0) * TOKEN_NANO;
  const isOnce = charges === 1 && records === 1 && hold === 'settled';
  return due > 0n && isOnce && BigInt(charged) === due && BigInt(recorded) === due;
}

/** Numbered without gaps, with one end, and of a completed one with each piece of its text once. */
function isWhole(events: readonly Event[], { state }: Row, { output }: Read): boolean {
  const isNumbered = events.every(({ sequence_number }, at) => sequence_number === at);
  const ends = events.filter(({ type }) => /^response\.(completed|incomplete|failed|cancelled)$/.test(type));
  const isEnded = ends.length === 1 && events.at(-1)?.type === `response.${state}`;
  if (!isNumbered || !isEnded) return false;
  if (state !== 'completed') return true;
  const pieces = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
  const text = output.flatMap(({ content = [] }) => content.map((part) => part.text)).join('');
  return text !== '' && pieces.join('') === text;
}
