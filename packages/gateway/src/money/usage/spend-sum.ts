/** One row of a report on spend, whichever store computed it. */
export type SpendSum = {
  readonly at?: Date;
  readonly account?: string;
  readonly member?: string;
  readonly key?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly protocol?: string;
  readonly outcome?: string;
  readonly lane?: string;
  readonly tag?: string;
  readonly requests: bigint;
  readonly failed: bigint;
  readonly refused: bigint;
  readonly caller_faults: bigint;
  readonly upstream_faults: bigint;
  readonly gateway_faults: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cached_tokens: bigint;
  readonly cache_write_tokens: bigint;
  readonly reasoning_tokens: bigint;
  readonly unpriced: bigint;
  readonly cost_nano: bigint;
  readonly first_token_counts?: readonly bigint[];
  readonly duration_counts?: readonly bigint[];
};
