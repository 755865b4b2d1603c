/** Request rows as CSV or JSON lines, page by page: the next page is queried only when the reader is ready. */

import { csvLine } from '../api/csv.ts';
import { RequestRow } from './contract.ts';

export const EXPORT_ROWS = { standard: 100_000, most: 1_000_000, page: 1000 } as const;

const COLUMNS = Object.keys(RequestRow.properties) as readonly (keyof RequestRow)[];

export type Pages = AsyncIterable<readonly RequestRow[]>;

export async function* csvOf(pages: Pages): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const page of pages) yield page.map((row) => csvLine(COLUMNS.map((column) => row[column]))).join('');
}

export async function* linesOf(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((row) => `${JSON.stringify(row)}\n`).join('');
}
