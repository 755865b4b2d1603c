/** The outcome of every video according to the rows, the ledger database, the upstream and the callers. */
import type { Client } from 'pg';
import { FILM_NANO, type FilmKind, type Films, filmIn } from '../parts/films.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';

type Row = {
  readonly state: string;
  readonly clips: number;
  readonly charges: number;
  readonly nano: string;
  readonly hold: string | null;
  readonly records: number;
};

const ROWS = `
  select o.state, coalesce(jsonb_array_length(o.result->'clips'), 0) as clips, h.state as hold,
    (select count(*)::int from ledger_entries e where e.account_id = o.account_id and e.id = o.request_id) as charges,
    (select coalesce(sum(amount), 0)::text from ledger_entries e
      where e.account_id = o.account_id and e.id = o.request_id) as nano,
    (select count(*)::int from usage_events u where u.request_id = o.request_id) as records
  from operations o left join ledger_holds h on h.account_id = o.account_id and h.id = o.request_id`;

const isChargedWrongly = ({ state, clips, charges, nano, hold }: Row): boolean =>
  state === 'done'
    ? clips !== 1 || charges !== 1 || BigInt(nano) !== FILM_NANO || hold !== 'settled'
    : clips !== 0 || charges !== 0 || hold !== 'released';

/** Operations without an outcome or without its record. */
export async function openOperations(db: Client): Promise<number> {
  const { rows } = await db.query<{ open: number }>(`
    select count(*)::int as open from operations o where finished_at is null
      or not exists (select from usage_events u where u.request_id = o.request_id)`);
  return rows[0]?.open ?? Number.NaN;
}

const ENDS: Readonly<Record<FilmKind, 'made' | 'failed'>> = { made: 'made', failing: 'failed', unanswered: 'failed' };

/** Callers whose operation name shows another outcome than that of their film. */
export async function misled(films: Films, node: GatewayProcess): Promise<number> {
  const ends = await Promise.all(
    [...films.named].map(async ([name, kind]) => (await films.end(node, name)) === ENDS[kind]),
  );
  return ends.filter((isTheirs) => !isTheirs).length;
}

export async function judge(db: Client, simulator: SimulatorProcess) {
  const { rows } = await db.query<Row>(ROWS);
  const submissions = new Map<string, number>();
  for (const { method, bodyText } of await simulator.truth()) {
    const film = filmIn(bodyText);
    if (method === 'POST' && film !== undefined) submissions.set(film, (submissions.get(film) ?? 0) + 1);
  }
  const count = (holds: (row: Row) => boolean): number => rows.filter(holds).length;
  return {
    figures: {
      operations: rows.length,
      done: count(({ state }) => state === 'done'),
      failed: count(({ state }) => state === 'failed'),
      refused: count(({ state }) => state === 'refused'),
      submitted: submissions.size,
    },
    submittedTwice: [...submissions.values()].filter((times) => times > 1).length,
    chargedWrongly: count(isChargedWrongly),
    recordedWrongly: count(({ records }) => records !== 1),
  };
}
