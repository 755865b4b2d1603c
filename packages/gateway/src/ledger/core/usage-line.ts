/** The usage event of a request that is over, on its way to its row: written with the end of the request, and posted with it. */
export type UsageLine = {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Absent while only the journal has it. */
  json: string | undefined;
  /** The file of the journal that it is read back from. */
  path?: string;
};

/** Ends that nothing is charged for, and requests that were refused. */
export type StoreUsage = { readonly do: 'usage'; usage?: UsageLine };
