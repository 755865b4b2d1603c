/** What an attack is, and what it came to. */
import { atMost, type Check } from '../scenario.ts';

export type Listener = 'data' | 'admin' | 'members';

export type Attack = {
  readonly name: string;
  /** The finding it repeats, or `new`. */
  readonly group: string;
  readonly connections: number;
  readonly listener?: Listener;
  /** What each connection sends, in turn; built in the attacker's process. */
  readonly wires: () => readonly Buffer[];
  /** When the attacker ends what has not ended. */
  readonly cutMs?: number;
  readonly reads?: 'slowly';
  /** One connection after the other. */
  readonly inTurn?: boolean;
  /** Sends this many bytes, then waits. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number };
  /** Resident growth is judged. */
  readonly memory?: boolean;
  /** Node's parser is the limit: compared with a bare server that destroys at its `first` request, or after the 401. */
  readonly floor?: 'first' | '401';
  /** Beside it, another account sends five chats of 5 MB that must be answered. */
  readonly besides?: 'large chats';
  /** What else must hold of its outcome, by counts. */
  readonly expects?: (result: AttackResult) => readonly Check[];
  /** What the gateway needs for it. */
  readonly gateway?: 'capture' | 'workers' | 'members';
};

export type AttackResult = {
  /** By status, `/cut` where the attacker ended the connection itself. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What the attacker's kernel took. */
  readonly sentBytes: number;
  readonly readBytes: number;
  readonly seconds: number;
};

const countOf = ({ statuses }: AttackResult, matches: (status: string) => boolean): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (matches(status) ? count : 0), 0);

/** None of them is served. */
export const isRefused = (result: AttackResult): readonly Check[] => [
  atMost(
    'connections that were served',
    countOf(result, (status) => status.startsWith('200')),
    0,
  ),
];

/** The gateway ends them itself, but for this many. */
export const isEnded =
  (butFor = 0) =>
  (result: AttackResult): readonly Check[] => [
    atMost(
      'connections that the gateway left open',
      countOf(result, (status) => status.endsWith('/cut')),
      butFor,
    ),
  ];
