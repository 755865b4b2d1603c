/** Strict parser for records of an event stream. */

/** The records of a stream that ended where a record ends. */
export function recordsOf(body: string): string[] {
  if (!body.endsWith('\n\n')) throw new Error(`the stream does not end with a whole record: …${body.slice(-80)}`);
  return body.slice(0, -2).split('\n\n');
}

/** The content of a record that is exactly one `data:` line. */
export function dataOf(record: string): string {
  if (!record.startsWith('data: ') || record.includes('\n')) throw new Error(`not a single data line: ${record}`);
  return record.slice('data: '.length);
}

export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
