/** What a chart shows. */

/** Its height, where none is given. */
export const CHART_PX = 160;

export type Series = {
  readonly name: string;
  /** A gap stays a gap: null. */
  readonly values: readonly (number | null)[];
  /** A token: `series-1` to `series-5`, `series-others`, `ok`, `warn`, `bad`. */
  readonly color: string;
};

export type ChartProps = {
  readonly label: string;
  readonly kind: 'columns' | 'lines';
  /** Starts of the buckets, in ms. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The span shown; without it that of `times`. */
  readonly bounds?: { readonly fromMs: number; readonly untilMs: number };
  readonly height?: number;
  /** A span was chosen by dragging. */
  readonly onSelect?: (fromMs: number, untilMs: number) => void;
};
