/** JSON without rounding: integers beyond double precision keep their digits, in and out. */
type Raw = { rawJSON(text: string): unknown };

const isSafe = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

export const parseExact = (text: string): unknown =>
  JSON.parse(text, ((_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && !isSafe(value) ? (JSON as unknown as Raw).rawJSON(source) : value) as never);

/** The same value always prints the same way, whatever its spacing was. */
export const normalJson = (text: string): string => JSON.stringify(parseExact(text));
