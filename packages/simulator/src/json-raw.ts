// Prints JSON in which some members are already JSON text and are sent unchanged: large integers must not be rounded.

export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const PLACEHOLDER = /"\\u0000raw:(\d+)"/gu;

export function printRaw(value: unknown): string {
  const raws: string[] = [];
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (!(member instanceof RawJson)) return member;
    raws.push(member.text);
    return `\u0000raw:${raws.length - 1}`;
  });
  return text.replaceAll(PLACEHOLDER, (_match, at: string) => raws[Number(at)] ?? 'null');
}

/** The text as raw JSON if it is an object, else an empty object: as vendors treat truncated arguments. */
export function rawObject(text: string): RawJson {
  try {
    const value: unknown = JSON.parse(text);
    return new RawJson(typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}');
  } catch {
    return new RawJson('{}');
  }
}
