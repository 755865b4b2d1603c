/** Where exports of people's programs go. */
export interface TelemetrySink {
  readonly maxBodyBytes: number;
  /** False: too many are on their way, and this one is to be dropped. Otherwise `relay` or `release` follows. */
  enter(): boolean;
  release(): void;
  /** Not awaited: the answer to the sender does not depend on it. */
  relay(signal: string, headers: Readonly<Record<string, string>>, body: Uint8Array): void;
}
