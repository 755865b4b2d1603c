/** Stored responses and conversations: what requests refer to, what is kept of answers, and what callers ask about it. */
import { GatewayError, type Json, type JsonObject, stringAt } from '@trivium/protocol/canonical';
import type { CallerPort } from '../../kernel/caller-port.ts';
import { every } from '../../kernel/clock.ts';
import type {
  History,
  KeepingReply,
  OpenTurn,
  Referred,
  StoredQuestion,
  StoredResponses,
} from '../../kernel/stored-responses.ts';
import { Batches } from './batches.ts';
import type { StoredContent } from './content.ts';
import { Conversations, openItem } from './conversations.ts';
import { full, malformed, noPrevious, notFound, orAway, tooLong } from './faults.ts';
import { inputItems, isId, outputItems, pageAsked, pageOf, responseOfItem } from './items.ts';
import { KeptReply } from './kept-reply.ts';
import type { FoundHistory, NewRow, StoredRow, StoredRows, StoredTimes } from './rows.ts';
import { identityOf, sealTurn } from './seal-turn.ts';
import { StoredTotals } from './totals.ts';

type StateSettings = {
  readonly keepMs: number;
  readonly accountBytes: number;
  /** Most characters of one stored text that are read back. */
  readonly maxCharacters: number;
  /** Of all that one request refers to. */
  readonly maxHistoryCharacters: number;
};

export type StatePorts = {
  readonly rows: StoredRows;
  readonly content: StoredContent;
  readonly settings: () => StateSettings;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

/** Of responses that are made in the background. */
type Unfinished = {
  unfinished(accountId: string, id: string): Promise<JsonObject | undefined>;
  cancel(accountId: string, id: string): Promise<void>;
  /** Only what has ended. */
  delete(accountId: string, id: string): Promise<void>;
};

/** For operators and admins of the account, as JSON texts; a response that is still being made has no more than itself. */
type ReadBack = Partial<StoredTimes & Pick<StoredRow, 'previousId' | 'conversationId'>> & {
  readonly input?: string;
  readonly response: string;
};

type Opened = { readonly response: JsonObject; readonly input: readonly Json[] };

const SWEEP_EVERY_MS = 60_000;

export class StoredTurns implements StoredResponses {
  readonly #ports: StatePorts;
  readonly #writes: Batches<NewRow, boolean>;
  readonly #totals: StoredTotals;
  readonly #conversations: Conversations;

  /** Set once it is open. */
  background: Unfinished | undefined;
  readonly #stopSweeping: () => void;

  constructor(ports: StatePorts) {
    this.#ports = ports;
    // What was stored expires, whatever the configuration says now.
    this.#stopSweeping = every(
      SWEEP_EVERY_MS,
      async () => {
        while ((await ports.rows.sweep()) > 0);
      },
      ports.onTrouble,
    );
    this.#writes = new Batches(async (batch) => {
      const stored = await ports.rows.insert(batch, ports.settings().keepMs);
      return batch.map(({ id }) => stored.has(id));
    });
    this.#totals = new StoredTotals(ports.rows, ports.monotonicMs);
    this.#conversations = new Conversations(ports, (accountId) => this.requireRoom(accountId));
  }

  close(): void {
    this.#stopSweeping();
  }

  history(accountId: string, referred: Referred): Promise<History> {
    return this.#orAway(async () => {
      const { maxHistoryCharacters: maxCharacters } = this.#ports.settings();
      const { previousId, conversationId } = referred;
      if (previousId !== undefined && !isId(previousId)) throw noPrevious(previousId);
      if (conversationId !== undefined && !isId(conversationId))
        throw notFound('Conversation', conversationId, 'conversation');
      const itemIds = referred.itemIds.filter(isId);
      const responseIds = itemIds.flatMap((id) => responseOfItem(id) ?? []);
      const asked = { previousId, conversationId, itemIds, responseIds, maxBytes: maxCharacters };
      const found = await this.#ports.rows.history(accountId, asked);
      requireWhole(found, referred, maxCharacters);
      const room = new Room(maxCharacters);
      const before: string[] = [];
      const { chain, conversation, conversationItems } = found;
      for (const row of conversationItems) before.push(room.take(await openItem(this.#ports, accountId, row)));
      for (const row of chain.toReversed()) {
        const opened = await this.#open(accountId, row);
        if (opened === undefined) throw noPrevious(previousId ?? row.id);
        for (const item of [...opened.input, ...outputItems(opened.response)])
          before.push(room.take(JSON.stringify(item)));
      }
      const items = itemIds.length === 0 ? NO_ITEMS : await this.#itemsIn(accountId, found, itemIds, room);
      const until = conversationId === undefined ? undefined : conversation?.nextPosition;
      return { before, items, ...(until !== undefined && { conversationUntil: until }) };
    });
  }

  async #itemsIn(
    accountId: string,
    found: FoundHistory,
    ids: readonly string[],
    room: Room,
  ): Promise<Map<string, string>> {
    const wanted = new Set(ids);
    const items = new Map<string, string>();
    const add = (id: string | undefined, text: () => string): void => {
      if (id !== undefined && wanted.has(id) && !items.has(id)) items.set(id, room.take(text()));
    };
    for (const row of found.responsesOfItems) {
      const opened = await this.#open(accountId, row);
      if (opened === undefined) continue;
      for (const item of [...outputItems(opened.response), ...inputItems(row.id, opened.input)])
        add(stringAt(item, 'id'), () => JSON.stringify(item));
    }
    for (const row of found.itemsByReference) {
      const text = await openItem(this.#ports, accountId, row);
      add(row.itemId, () => text);
    }
    return items;
  }

  keeping(turn: OpenTurn, reply: CallerPort): Promise<KeepingReply> {
    return this.#orAway(async () => {
      await this.requireRoom(turn.accountId);
      await this.#ports.content.keyFor(turn.accountId);
      return new KeptReply(reply, (response) => this.#keep(turn, response));
    });
  }

  async #keep(turn: OpenTurn, response: string): Promise<boolean> {
    try {
      // The account's content may have been erased meanwhile, or another node may have made another key.
      return (await this.#write(turn, response, false)) || (await this.#write(turn, response, true));
    } catch (error) {
      this.#totals.forget();
      this.#ports.onTrouble(error);
      return false;
    }
  }

  async #write(turn: OpenTurn, response: string, isStale: boolean): Promise<boolean> {
    const { content, rows, settings } = this.#ports;
    const { accountId, id, conversationId } = turn;
    const key = await content.keyFor(accountId, isStale);
    const { row, items } = await sealTurn(content, key, turn, response);
    this.#totals.written(accountId, row.sealed.length);
    if (conversationId === undefined) return this.#writes.add(row);
    const stored = await rows.insertInto({ ...row, conversationId }, items, settings().keepMs);
    return stored?.has(id) === true;
  }

  ask(accountId: string, question: StoredQuestion): Promise<JsonObject> {
    const [collection] = question.path;
    return this.#orAway(() =>
      collection === 'conversations'
        ? this.#conversations.ask(accountId, question)
        : this.#askResponse(accountId, question),
    );
  }

  async #askResponse(accountId: string, { method, path, query }: StoredQuestion): Promise<JsonObject> {
    const [, id = '', part] = path;
    if (!isId(id)) throw notFound('Response', id);
    const running = await this.background?.unfinished(accountId, id);
    if (running !== undefined && method === 'POST') {
      await this.background?.cancel(accountId, id);
      return (await this.background?.unfinished(accountId, id)) ?? (await this.#find(accountId, id)).response;
    }
    if (running !== undefined && part === undefined && method === 'GET') return running;
    if (running !== undefined)
      throw malformed('response_id', 'names a response that is still being made: wait for it, or cancel it');
    if (method === 'DELETE') {
      await this.background?.delete(accountId, id);
      if (!(await this.#ports.rows.delete(accountId, id))) throw notFound('Response', id);
      return { id, object: 'response', deleted: true };
    }
    const opened = await this.#find(accountId, id);
    if (part === 'cancel' && opened.response['background'] !== true)
      throw malformed('response_id', 'names a response that was not made in the background');
    if (part === 'cancel') return opened.response;
    if (part === undefined) {
      if (query.get('stream') === 'true')
        throw malformed('stream', 'needs a response that was made in the background and streamed');
      return opened.response;
    }
    const { isAscending, after, limit } = pageAsked(query);
    const all = inputItems(id, opened.input);
    const ordered = isAscending ? all : all.toReversed();
    const from = after === undefined ? 0 : ordered.findIndex((item) => item['id'] === after) + 1;
    if (after !== undefined && from === 0) throw notFound('Item', after, 'after');
    return pageOf(ordered.slice(from, from + limit + 1), limit);
  }

  async read(accountId: string, id: string): Promise<ReadBack | undefined> {
    const running = await this.background?.unfinished(accountId, id);
    if (running !== undefined) return { response: JSON.stringify(running) };
    const row = await this.#ports.rows.find(accountId, id);
    const opened = row && (await this.#open(accountId, row));
    if (opened === undefined) return undefined;
    return { ...row, input: JSON.stringify(opened.input), response: JSON.stringify(opened.response) };
  }

  async #find(accountId: string, id: string): Promise<Opened> {
    const row = await this.#ports.rows.find(accountId, id);
    const opened = row && (await this.#open(accountId, row));
    if (opened === undefined) throw notFound('Response', id);
    return opened;
  }

  /** After a failure what was known of accounts may be wrong: the next call asks the database again. */
  #orAway<T>(work: () => Promise<T>): Promise<T> {
    return orAway(() =>
      work().catch((error: unknown) => {
        if (!(error instanceof GatewayError)) this.#totals.forget();
        throw error;
      }),
    );
  }

  async requireRoom(accountId: string): Promise<void> {
    const { accountBytes } = this.#ports.settings();
    if (await this.#totals.isFull(accountId, BigInt(accountBytes))) throw full(accountBytes);
  }

  /** Undefined if its key is gone. */
  async #open(accountId: string, { id, dataKeyId, sealed }: StoredRow): Promise<Opened | undefined> {
    const { content, settings } = this.#ports;
    const identity = identityOf(accountId, id);
    const text = await content.open(accountId, dataKeyId, identity, sealed, settings().maxCharacters);
    // Written by `#write`: the cipher's authentication tag proves it.
    return text === undefined ? undefined : (JSON.parse(text) as Opened);
  }
}

const NO_ITEMS: ReadonlyMap<string, string> = new Map();

/** Of several answers that refer to each other, one that is gone takes those after it with it. */
function requireWhole(found: FoundHistory, { previousId, conversationId }: Referred, maxCharacters: number): void {
  const { chain, conversation, conversationItems } = found;
  const bytes = [...chain, ...conversationItems].reduce((sum, { sealed }) => sum + sealed.length, 0);
  if (bytes > maxCharacters) throw tooLong(maxCharacters);
  if (conversationId !== undefined && conversation === undefined)
    throw notFound('Conversation', conversationId, 'conversation');
  if (previousId === undefined) return;
  const first = chain.at(-1);
  if (first === undefined || first.previousId !== null) throw noPrevious(previousId);
  if (first.conversationId !== null && conversation === undefined) throw noPrevious(previousId);
}

/** Counts what is read back. */
class Room {
  readonly #max: number;
  #left: number;

  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  take(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0) throw tooLong(this.#max);
    return text;
  }
}
