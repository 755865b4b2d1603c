// Reads the shapes of requests, which the dialects write down in a notation close to TypeScript's types:
//
//   Name = …                       Names a shape. `...Name` in another object repeats its members.
//   text chars int num flag any    `chars` is a text measured in code points instead of UTF-16 units.
//   imageUri imageBytes            A data URI, or bare base64, whose bytes are an image of the declared type.
//   text(1..64 /^[a-z]+$/)         Shortest, longest, pattern. Of numbers the range; `num(>0)` is above 0.
//   'a' | 'b'                      One of these words.
//   [text](..4)                    A list, here of at most 4.
//   { a: text, b? c?: int, d? }    An object. `b`, `c` and `d` may be missing; `d` may be anything.
//   open { … }                     The same with members beyond those named.
//   { *: text }(..16)              An object with any names.
//   by type { a: …, b c: … }       An object whose member `type` says which shape it has; it is a member of each.
//   by type or a { … }             `a` if that member is missing.
//   by type in path { … }          The vendor names the value of that member in the path of an error.
//   text | [X] | null              The alternative of the value's JSON type; an error of another type names all of them.

type Limits = { readonly min?: number; readonly isAbove?: boolean; readonly max?: number };
type ShapeMember = readonly [name: string, shape: Shape, isOptional: boolean];

export type Shape =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'null' }
  | { readonly kind: 'imageUri' }
  | { readonly kind: 'imageBytes' }
  | ({ readonly kind: 'text' | 'chars' | 'int' | 'num' | 'flag'; readonly pattern?: RegExp } & Limits)
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | ({ readonly kind: 'list' | 'map'; readonly item: Shape } & Limits)
  | { readonly kind: 'object'; readonly members: readonly ShapeMember[]; readonly isOpen: boolean }
  | { readonly kind: 'one-of'; readonly shapes: readonly Shape[] }
  | {
      readonly kind: 'by';
      readonly tag: string;
      readonly fallback: string | undefined;
      readonly isInPath: boolean;
      readonly shapes: ReadonlyMap<string, Shape>;
    };

const TOKEN = /\.{2,3}|'[^']*'|\/(?:[^/\\\n]|\\.)+\/|-?\d+(?:\.\d+)?|\w+|[{}[\]():,|?=*>]|\S/gu;
const PLAIN = ['text', 'chars', 'int', 'num', 'flag'] as const;
const BARE = ['any', 'null', 'imageUri', 'imageBytes'] as const;

export class ShapeReader {
  readonly shapes = new Map<string, Shape>();
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = source.replaceAll(/#.*$/gmu, '').match(TOKEN) ?? [];
    while (this.#at < this.#tokens.length) {
      const name = this.#next();
      this.#expect('=');
      this.shapes.set(name, this.#shape());
    }
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }

  #takes(token: string): boolean {
    const isNext = this.#tokens[this.#at] === token;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #expect(token: string): void {
    const found = this.#next();
    if (found !== token) throw new SyntaxError(`a shape has "${found}" at token ${this.#at}, not "${token}"`);
  }

  #shape(): Shape {
    const shapes: Shape[] = [];
    do {
      const shape = this.#single();
      const last = shapes.at(-1);
      if (shape.kind === 'words' && last?.kind === 'words')
        shapes.splice(-1, 1, { kind: 'words', words: [...last.words, ...shape.words] });
      else shapes.push(shape);
    } while (this.#takes('|'));
    return shapes.length === 1 && shapes[0] !== undefined ? shapes[0] : { kind: 'one-of', shapes };
  }

  #single(): Shape {
    const token = this.#next();
    if (token.startsWith("'")) return { kind: 'words', words: [token.slice(1, -1)] };
    if (token === '{' || token === 'open') {
      if (token === 'open') this.#expect('{');
      return this.#object(token === 'open');
    }
    if (token === 'by') return this.#byTag();
    if (token === '[') {
      const item = this.#shape();
      this.#expect(']');
      return { kind: 'list', item, ...this.#limits() };
    }
    const plain = PLAIN.find((kind) => kind === token);
    if (plain !== undefined) return { kind: plain, ...this.#limits() };
    const bare = BARE.find((kind) => kind === token);
    return bare === undefined ? { kind: 'named', name: token } : { kind: bare };
  }

  #limits(): Limits & { readonly pattern?: RegExp } {
    if (!this.#takes('(')) return {};
    const isAbove = this.#takes('>');
    const limits: { min?: number; max?: number; pattern?: RegExp } = {};
    for (let isMax = false; !this.#takes(')'); ) {
      if (this.#takes('..')) {
        isMax = true;
        continue;
      }
      const token = this.#next();
      if (token.startsWith('/')) limits.pattern = new RegExp(token.slice(1, -1), 'u');
      else limits[isMax ? 'max' : 'min'] = Number(token);
    }
    return isAbove ? { ...limits, isAbove } : limits;
  }

  #object(isOpen: boolean): Shape {
    if (this.#takes('*')) {
      this.#expect(':');
      const item = this.#shape();
      this.#expect('}');
      return { kind: 'map', item, ...this.#limits() };
    }
    const members = new Map<string, ShapeMember>();
    while (!this.#takes('}')) {
      if (this.#takes('...')) {
        const base = this.shapes.get(this.#next());
        if (base?.kind !== 'object') throw new ReferenceError(`a shape repeats an object that is not above it`);
        for (const member of base.members) members.set(member[0], member);
      } else {
        const names: (readonly [string, boolean])[] = [];
        do names.push([this.#next(), this.#takes('?')]);
        while (!/^[,:}]$/u.test(this.#tokens[this.#at] ?? '}'));
        const shape: Shape = this.#takes(':') ? this.#shape() : { kind: 'any' };
        for (const [name, isOptional] of names) members.set(name, [name, shape, isOptional]);
      }
      this.#takes(',');
    }
    // Vendors read what is required first.
    const sorted = [...members.values()].sort((one, other) => Number(one[2]) - Number(other[2]));
    return { kind: 'object', members: sorted, isOpen };
  }

  #byTag(): Shape {
    const tag = this.#next();
    const fallback = this.#takes('or') ? this.#next() : undefined;
    const isInPath = this.#takes('in');
    if (isInPath) this.#expect('path');
    this.#expect('{');
    const variants = this.#object(false);
    const shapes = new Map(variants.kind === 'object' ? variants.members.map(([name, shape]) => [name, shape]) : []);
    return { kind: 'by', tag, fallback, isInPath, shapes };
  }
}
