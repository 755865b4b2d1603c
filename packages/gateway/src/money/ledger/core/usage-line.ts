/**
 * The usage event of a finished request on its way to its row: written to the journal and posted with the end of the
 * request.
 */
export type UsageLine = {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Absent while only the journal has it. */
  json: string | undefined;
  /** The journal file to read it back from. */
  path?: string;
};

/** Usage without a charge: of ends that cost nothing, and of refused requests. */
export type StoreUsage = { readonly do: 'usage'; usage?: UsageLine };
