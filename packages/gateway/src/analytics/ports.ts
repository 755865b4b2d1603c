/** What the copy of the records in an analytics database is made of: where it has come to, rows, and where they go. */

/** Rows from before the copy began by day and id; then what is stored and changed, by transaction, day and id. */
export type SinkPosition = {
  readonly isFilling: boolean;
  readonly nextTx: bigint;
  readonly afterDay: string;
  readonly afterRequest: string;
};

/** A place that is this node's to move until another node draws one. */
export type SinkTurn = SinkPosition & { readonly version: bigint };

export type SinkBatch = {
  /** One JSON object for each row, ready to be sent. */
  readonly lines: readonly string[];
  readonly next: SinkPosition;
  /** Nothing was left when it was read. */
  readonly isLast: boolean;
};

export type SinkRows = {
  /** Begins at the beginning for a destination that is not known yet, or after a restore into another server. */
  draw(id: string): Promise<SinkTurn>;
  read(turn: SinkTurn, limit: number): Promise<SinkBatch>;
  /** False when another node has drawn since: nothing was moved. */
  advance(id: string, turn: SinkTurn, next: SinkPosition): Promise<boolean>;
  /** How long the oldest row that is not copied has waited; 0 when there is none. */
  lagMs(): Promise<number>;
};

export type SinkDestination = {
  /** Makes the tables where they are missing, and gives the mark that tells this destination from others. */
  prepare(): Promise<string>;
  /** Resolves when the rows are stored. The same rows may come again. */
  insert(lines: readonly string[]): Promise<void>;
};

/** The right to feed, of one node at a time. */
export type SinkLease = { readonly isLost: boolean; release(): Promise<void> };
