// Tolerant readers for parsed JSON of unknown shape; they never throw.

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asRecords(value: unknown): readonly JsonRecord[] {
  return asList(value).map(asRecord);
}

export function isGiven(record: JsonRecord, name: string): boolean {
  return record[name] !== undefined && record[name] !== null;
}

/** One member of every record, as text. */
export function textsOf(list: unknown, member: string): readonly string[] {
  return asRecords(list).map((record) => asText(record[member]));
}

export function ofType(list: unknown, type: string): readonly JsonRecord[] {
  return asRecords(list).filter((record) => record['type'] === type);
}
