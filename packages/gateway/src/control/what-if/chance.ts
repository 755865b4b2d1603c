/**
 * Chance in plans: what a record was drawn by is recovered from its order, and kept where the draft draws alike. Where
 * it does not, the draw is made again, with as few requests moved as the new shares allow.
 */
import {
  type Chance,
  drawnAmong,
  NO_CHANCE,
  type RecordedCall,
  type Replanned,
  type Replanner,
} from '../../calls/plan/replan.ts';
import { hostsIn, randomOf, recordedOrder } from './evidence.ts';

export type Replayed = {
  readonly planned: Replanned;
  readonly chance: Chance;
  /** In the recorded order. */
  readonly isSame: boolean;
};

const isSameOrder = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((host, at) => host === other[at]);

export const isAsRecorded = (planned: Replanned, call: RecordedCall): boolean =>
  !('refused' in planned) && isSameOrder(hostsIn(planned.plan), recordedOrder(call));

/** The plan under today's policies, with the chance that gives the recorded order if there is one. */
export function replayed(call: RecordedCall, today: Replanner): Replayed {
  const first = today.replan(call, NO_CHANCE);
  if (isAsRecorded(first, call)) return { planned: first, chance: NO_CHANCE, isSame: true };
  for (const chance of chancesOf(call, first, today)) {
    const planned = today.replan(call, chance);
    if (isAsRecorded(planned, call)) return { planned, chance, isSame: true };
  }
  return { planned: first, chance: NO_CHANCE, isSame: false };
}

/** One for each order that the planner could draw. */
function chancesOf(call: RecordedCall, planned: Replanned, by: Replanner): readonly Chance[] {
  if ('refused' in planned) return [];
  const places = drawnAmong(planned).size;
  switch (planned.hosts) {
    case 'round_robin':
      return Array.from({ length: places }, (_, turn) => ({ turn, draw: 0 }));
    case 'weights': {
      const shares = by.sharesOf(call, planned) ?? new Map<string, number>();
      return [...shares.keys()].flatMap((host) => {
        const draw = drawFor(shares, host);
        return draw === undefined ? [] : [{ turn: 0, draw }];
      });
    }
    case 'least_latency':
      return Array.from({ length: places }, (_, one) =>
        Array.from({ length: places - 1 }, (_, other) => ({
          turn: 0,
          draw: (one + (other + 0.5) / (places - 1)) / places,
        })),
      ).flat();
    default:
      return [];
  }
}

type Shares = ReadonlyMap<string, number>;
const totalOf = (shares: Shares): number => [...shares.values()].reduce((sum, share) => sum + share, 0);

/** The middle of a host's part of the draw; undefined if it has none. */
function drawFor(shares: Shares, host: string): number | undefined {
  let before = 0;
  for (const [name, share] of shares) {
    if (name === host) return share > 0 ? (before + share / 2) / totalOf(shares) : undefined;
    before += share;
  }
  return undefined;
}

function drawnBy(shares: Shares, draw: number): string | undefined {
  let left = draw * totalOf(shares);
  for (const [host, share] of shares) {
    left -= share;
    if (left < 0) return host;
  }
  return undefined;
}

const part = (shares: Shares, host: string): number => (shares.get(host) ?? 0) / (totalOf(shares) || 1);

/**
 * The host under new shares, given the one that was drawn under the old ones: it stays with the probability that its
 * share stays, so that the new shares hold over many requests and no more of them move than must.
 */
export function drawnAgain(was: string, before: Shares, after: Shares, random: readonly [number, number]): string {
  const [old, fresh] = [part(before, was), part(after, was)];
  if (fresh > 0 && (fresh >= old || random[0] * old < fresh)) return was;
  const gained = new Map([...after.keys()].map((host) => [host, Math.max(0, part(after, host) - part(before, host))]));
  return drawnBy(gained, random[1]) ?? drawnBy(after, random[1]) ?? was;
}

/** The counters of round robin that the draft starts: one for every set of hosts, as in the gateway. */
export class DraftTurns {
  readonly #next = new Map<string, number>();

  take(hosts: readonly string[]): number {
    const set = hosts.toSorted().join();
    const turn = this.#next.get(set) ?? 0;
    this.#next.set(set, turn + 1);
    return turn;
  }
}

/** The plan of the draft, drawn as the record was where both draw alike. */
export function drafted(
  call: RecordedCall,
  requestId: string,
  { today, draft, turns }: { readonly today: Replanner; readonly draft: Replanner; readonly turns: DraftTurns },
  was: Replayed,
): Replanned {
  const trial = draft.replan(call, was.chance);
  if ('refused' in trial) return trial;
  const before = was.isSame && !('refused' in was.planned) ? was.planned : undefined;
  const isAlike = before?.hosts === trial.hosts;
  const random = randomOf(requestId);
  switch (trial.hosts) {
    case 'weights': {
      const shares = draft.sharesOf(call, trial);
      const old = isAlike ? today.sharesOf(call, was.planned) : undefined;
      const drawn = (old && drawnBy(old, was.chance.draw)) ?? recordedOrder(call)[0]?.split(' ')[0];
      if (shares === undefined || drawn === undefined) return trial;
      const host = drawnAgain(drawn, old ?? new Map([[drawn, 1]]), shares, random);
      const draw = drawFor(shares, host);
      return draw === undefined || draw === was.chance.draw ? trial : draft.replan(call, { turn: 0, draw });
    }
    case 'round_robin': {
      const hosts = hostsIn(trial.plan);
      const isSet = isAlike && isSameOrder(hosts.toSorted(), recordedOrder(call).toSorted());
      return isSet ? trial : draft.replan(call, { turn: turns.take(hosts), draw: 0 });
    }
    case 'least_latency':
      return isAlike ? trial : draft.replan(call, { turn: 0, draw: random[0] });
    default:
      return trial;
  }
}
