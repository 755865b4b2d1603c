// Who is calling, as the stages after authentication see it.

export interface Caller {
  /** The key's name, never its secret. */
  readonly keyId: string;
  readonly accountId: string;
  /** Every loss becomes an error for this caller. */
  readonly strict: boolean;
  mayUse(modelId: string): boolean;
}
