/** A sample of the answers of hosts, for what compares them with what is known of their formats. */
import type { Target } from './target.ts';

export interface AnswerSamples {
  /** Undefined for all but a few; asked for every call to a host. */
  of(target: Pick<Target, 'provider' | 'dialect'>): AnswerSample | undefined;
}

/** One answer, as the host sends it. */
export interface AnswerSample {
  head(status: number): void;
  text(piece: string): void;
  /** Nothing follows. False: what ended it says nothing about the host. */
  end(isJudged: boolean): void;
}
