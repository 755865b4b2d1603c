// Reads an object or array literal out of bundled JavaScript without running it: packages are data here, not programs.

const SPACE = /(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/y;
const NUMBER = /-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const NAME = /[A-Za-z_$][\w$]*/y;
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, undefined };

/** Stands for what is no literal: a name of another value. */
export const OPAQUE = Symbol('opaque');

class LiteralReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Bundlers leave products such as `12 * .2` as they are. */
  value(): unknown {
    let value = this.#factor();
    while (this.#took('*') || this.#took('/')) {
      const divides = this.#text[this.#at - 1] === '/';
      const factor = this.#factor();
      if (typeof value !== 'number' || typeof factor !== 'number') value = OPAQUE;
      else value = divides ? value / factor : value * factor;
    }
    return value;
  }

  #factor(): unknown {
    this.#skip();
    const character = this.#text[this.#at];
    if (character === '{') return this.#object();
    if (character === '[') return this.#array();
    if (character === '"' || character === "'" || character === '`') return this.#string(character);
    if (character === '!') {
      this.#at += 2;
      return this.#text[this.#at - 1] === '0';
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    const name = this.#match(NAME);
    if (name === undefined) throw this.#failure();
    if (name === 'void') return void this.value();
    return name in WORDS ? WORDS[name] : OPAQUE;
  }

  #object(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.#at += 1;
    while (!this.#took('}')) {
      if (this.#took('...')) {
        const spread = this.value();
        if (spread !== OPAQUE) Object.assign(result, spread);
      } else {
        const key = this.#key();
        result[key] = this.#took(':') ? this.value() : OPAQUE;
      }
      this.#took(',');
    }
    return result;
  }

  #array(): unknown[] {
    const result: unknown[] = [];
    this.#at += 1;
    while (!this.#took(']')) {
      const spread = this.#took('...');
      const value = this.value();
      if (spread && Array.isArray(value)) result.push(...value);
      else if (!spread) result.push(value);
      this.#took(',');
    }
    return result;
  }

  #key(): string {
    this.#skip();
    const character = this.#text[this.#at];
    if (character === '"' || character === "'") return this.#string(character);
    const key = this.#match(NAME) ?? this.#match(NUMBER);
    if (key === undefined) throw this.#failure();
    return key;
  }

  #string(quote: string): string {
    let result = '';
    for (this.#at += 1; this.#text[this.#at] !== quote; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === undefined) throw this.#failure();
      // Only ids and figures are kept of the strings, and those hold no escapes but of quotes and backslashes.
      if (character === '\\') this.#at += 1;
      result += this.#text[this.#at] ?? '';
    }
    this.#at += 1;
    return result;
  }

  #skip(): void {
    this.#match(SPACE);
  }

  #took(token: string): boolean {
    this.#skip();
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #failure(): Error {
    return new Error(`No literal at ${this.#at}: ${this.#text.slice(this.#at, this.#at + 40)}`);
  }
}

export const readLiteral = (text: string, at: number): unknown => new LiteralReader(text, at).value();

/** The literal that begins at the last character of the first match. */
export const readLiteralAfter = (text: string, anchor: RegExp): unknown => {
  const found = anchor.exec(text);
  if (found === null) throw new Error(`The table is not where it was: ${anchor.source}`);
  return readLiteral(text, found.index + found[0].length - 1);
};
