/** What one host makes of clips, as data: the catalogue fills it, and calls are held against it before money is spent. */

/** What is absent is not known, and left to the host to judge. */
export type VideoLimits = {
  readonly videosMax?: number;
  readonly aspectRatios?: readonly string[];
  /** Absent: there is nothing to choose. The first is what a caller gets who says nothing. */
  readonly resolutions?: readonly string[];
  /** The lengths there are, or the bounds between which every whole second is one. */
  readonly seconds?: readonly number[] | { readonly min: number; readonly max: number };
  /** For a caller who names no length: it is said all the same, since lengths have prices. */
  readonly secondsDefault?: number;
  /** Lengths of resolutions that have fewer. */
  readonly secondsAt?: Readonly<Record<string, readonly number[]>>;
  readonly firstFrame?: 'required' | 'optional' | 'none';
  readonly lastFrame?: boolean;
  /** Sound: on every clip, on wish (and not without one), or never. */
  readonly audio?: 'always' | 'choice' | 'none';
};
