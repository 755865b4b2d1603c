/** How long recordings are, before a host is asked to write down what is said in them. */
export type Recordings = {
  /** In seconds, and no less than what the bytes hold. Undefined: nothing tells it. Never rejects. `owner`: whose they are. */
  measure(pieces: readonly Uint8Array[], owner: string): Promise<number | undefined>;
};
