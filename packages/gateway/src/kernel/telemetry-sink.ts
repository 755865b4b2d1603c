/** Where exports of people's programs go. */
export interface TelemetrySink {
  readonly maxBodyBytes: number;
  /** False: too many are on their way, and this one is to be dropped. Otherwise `relay` or `release` follows. */
  enter(): boolean;
  release(): void;
  /** Not awaited by anybody: the sender is not told whether it arrived. */
  relay(signal: string, headers: Readonly<Record<string, string>>, body: Uint8Array): void;
}
