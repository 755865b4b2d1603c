/** Lines of CSV, safe to open in a spreadsheet. */

/** Spreadsheets treat text with these first characters as a formula, and callers choose some of the texts. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`;
