// A price that an operator sets while the gateway runs, as it is stored and applied to the catalogue.

export type PriceChange = {
  readonly modelId: string;
  readonly provider: string;
  readonly dialect?: string;
  /** Days, UTC: first day, and end day (exclusive). */
  readonly from?: string;
  readonly until?: string;
  /** Checked with the rest of the catalogue. */
  readonly pricings: Readonly<Record<string, unknown>>;
};
