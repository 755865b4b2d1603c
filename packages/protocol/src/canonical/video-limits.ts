/**
 * The video limits of one host, as data: the catalogue fills them in, and the gateway checks calls against them before
 * it spends money.
 */

/** An absent limit is not known; the host decides. */
export type VideoLimits = {
  readonly videosMax?: number;
  readonly aspectRatios?: readonly string[];
  /** Absent: there is no choice. The first is the default. */
  readonly resolutions?: readonly string[];
  /** The available lengths in seconds, or the bounds within which every whole second is available. */
  readonly seconds?: readonly number[] | { readonly min: number; readonly max: number };
  /** Length in seconds if the caller names none. It is always sent, because the price depends on it. */
  readonly secondsDefault?: number;
  /** Lengths for resolutions that support fewer of them. */
  readonly secondsAt?: Readonly<Record<string, readonly number[]>>;
  readonly firstFrame?: 'required' | 'optional' | 'none';
  readonly lastFrame?: boolean;
  /** Sound: on every clip, on request only, or never. */
  readonly audio?: 'always' | 'choice' | 'none';
};
