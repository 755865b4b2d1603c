/** The parts of the copy of records in an analytics database: its position, its rows, and its destination. */

/** First the rows from before the copy began, by day and id; then new and changed rows, by transaction, day and id. */
export type SinkPosition = {
  readonly isFilling: boolean;
  readonly nextTx: bigint;
  readonly afterDay: string;
  readonly afterRequest: string;
};

/** A position that only this node may advance, until another node takes a turn. */
export type SinkTurn = SinkPosition & { readonly version: bigint };

export type SinkBatch = {
  /** One JSON object per row, ready to be sent. */
  readonly lines: readonly string[];
  readonly next: SinkPosition;
  /** Nothing was left when it was read. */
  readonly isLast: boolean;
};

export type SinkRows = {
  /** Takes a turn. Starts from the beginning for an unknown destination, or after a restore into another server. */
  draw(id: string): Promise<SinkTurn>;
  read(turn: SinkTurn, limit: number): Promise<SinkBatch>;
  /** False if another node has taken a turn since: nothing was changed. */
  advance(id: string, turn: SinkTurn, next: SinkPosition): Promise<boolean>;
  /** Age in ms of the oldest row that is not copied; 0 if there is none. */
  lagMs(): Promise<number>;
};

export type SinkDestination = {
  /** Creates missing tables, and returns the id of this destination. */
  prepare(): Promise<string>;
  /** Resolves when the rows are stored. The same rows may come again. */
  insert(lines: readonly string[]): Promise<void>;
};

/** The right to copy, held by one node at a time. */
export type SinkLease = { readonly isLost: boolean; release(): Promise<void> };
