/** What the engine needs for stored responses and conversations. Absent where the operator keeps none. */
import type { JsonObject } from '@trivium/protocol/canonical';
import type { CallerPort } from './caller-port.ts';
import type { RequestRecord } from './record.ts';

/** What a request refers to instead of sending it. */
export type Referred = {
  readonly previousId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Ids of items; unique. */
  readonly itemIds: readonly string[];
};

/** JSON texts of items. */
export type History = {
  /** All that comes before the input of the request. */
  readonly before: readonly string[];
  readonly items: ReadonlyMap<string, string>;
  /** How much of its conversation that was. */
  readonly conversationUntil?: bigint;
};

/** A turn whose answer will be stored. */
export type OpenTurn = {
  readonly accountId: string;
  /** Of the response. */
  readonly id: string;
  /** JSON text of the list of its own input. */
  readonly input: string;
  readonly previousId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly conversationUntil?: bigint | undefined;
};

/** Sends an answer on once it is stored. */
export interface KeepingReply extends CallerPort {
  /** Calls back once the whole answer has been passed on. */
  afterwards(record: RequestRecord, tell: (record: RequestRecord) => void): void;
}

/** Turns of one connection that were not stored: it alone can refer to them, while it lasts and there is room. */
export interface ConnectionTurns {
  /** JSON texts of items, or of several with commas between them: all of the conversation with this answer. */
  find(responseId: string): readonly string[] | undefined;
  /** Throws the error that names it as unknown. */
  require(responseId: string): readonly string[];
  keep(responseId: string, items: readonly string[]): void;
  /** The connection has ended. */
  close(): void;
}

/** A request about what is stored. */
export type StoredQuestion = {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  /** Empty if it has none. */
  readonly body: JsonObject;
};

/** Every call is bound to its account and rejects with a GatewayError; ids of others do not exist. */
export interface StoredResponses {
  history(accountId: string, referred: Referred): Promise<History>;
  /** Before the call: rejects where its answer could not be stored. */
  keeping(turn: OpenTurn, reply: CallerPort): Promise<KeepingReply>;
  ask(accountId: string, question: StoredQuestion): Promise<JsonObject>;
}
