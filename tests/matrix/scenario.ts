/** A scenario states its meaning once; every cell of the matrix is checked against it. */
import type { Members } from './match.ts';
import type { Ask, Cell, Inbound, Outbound, Pair, Received, Said, Seen } from './meaning.ts';
import { FINISHES, type Finish, type LossWord, WORDS } from './words.ts';

export type Round = {
  readonly say: readonly Said[];
  /** Instruction for the simulator (default: none). */
  readonly play?: string;
  readonly upstream: Members<Received> | ((cell: Cell) => Members<Received>);
  readonly caller: Members<Seen> | ((cell: Cell) => Members<Seen>);
  readonly finish: Finish | ((cell: Cell) => Finish);
  /** Fields reported as lost, and no others. */
  readonly losses?: (cell: Cell) => readonly LossWord[];
  /** The vendor answers with an error, which the caller gets with this status and message. */
  readonly fails?: (cell: Cell) => { readonly status: number; readonly words: RegExp } | undefined;
  /** Checks the raw text that the upstream received, where the notation matters. */
  readonly upstreamText?: (cell: Cell) => readonly RegExp[];
};

export type Scenario = {
  readonly name: string;
  readonly about: string;
  readonly thinker?: true;
  readonly ask?: Ask;
  readonly rounds: readonly Round[];
  /** Why a protocol cannot express this. */
  readonly unspoken?: Partial<Record<Inbound, string>>;
  /** The field in the 400 for what this pair cannot translate and may not drop. */
  readonly refused?: (cell: Cell) => { readonly field: LossWord; readonly why: string } | undefined;
};

/** The pairs in which both ends speak the same dialect. */
const HOME: Readonly<Record<Inbound, Outbound>> = {
  chat: 'openai-chat',
  messages: 'anthropic-messages',
  genai: 'google-generate',
  responses: 'openai-responses',
};
export const isHome = ({ inbound, outbound }: Pair): boolean => HOME[inbound] === outbound;

export const valueFor = <T>(given: T | ((cell: Cell) => T), cell: Cell): T =>
  typeof given === 'function' ? (given as (cell: Cell) => T)(cell) : given;

export const finishFor = (finish: Finish, { inbound }: Pair): string => FINISHES[finish][inbound];
/** Streamed chat answers have deltas where whole ones have messages. */
export const wordFor = (word: LossWord, { inbound, stream }: Cell): string =>
  stream && inbound === 'chat' ? WORDS[word].chat.replace('.message.', '.delta.') : WORDS[word][inbound];
