/**
 * Commands of the command line as data, typed by the contract of the calls they make. The command line loads them for `--help`, so
 * files of commands import nothing but types and each other.
 */

/** `name`, and members of members: `rights.models`. */
export type MemberOf<T> = T extends readonly (infer Item)[]
  ? MemberOf<Item>
  : T extends object
    ? { [Name in keyof T & string]: Name | `${Name}.${MemberOf<NonNullable<T[Name]>>}` }[keyof T & string]
    : never;

type RouteCall = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** How the text of an option or argument becomes the value of a member. */
type Reading = {
  /** `commas`: a list, `numbers`: a list of numbers. `percent`: a number, or one of `words`; may be negative. */
  readonly form?: 'number' | 'numbers' | 'percent' | 'commas' | 'lowercase';
  readonly default?: string;
  readonly required?: true;
  /** Words that stand for another value, such as `none` for null. */
  readonly words?: Readonly<Record<string, null>>;
  /** The value if the option is given. Default: what was given. */
  readonly is?: string | boolean | null;
  /** The value if it is not given, or the member from which it is taken. Default: the member is left out. */
  readonly else?: string | boolean;
  readonly elseLike?: string;
};

/** `--grace <seconds>` is an option, `<usd>` an argument of the command. */
type Input = readonly [flags: string, about: string, reading?: Reading];

/** By the member that is sent. Those that start with `-` stay on this side: `-limit` ends a list, others are for one command. */
export type Inputs<Member extends string> = { readonly [Name in Member | `-${string}`]?: Input };

/** One member, or the first of several that is not null. */
export type Column<Member extends string = string> =
  | Member
  | {
      readonly of: Member | readonly Member[];
      /** Default: the name of the member in words. */
      readonly title?: string;
      /** Shown only if this option or argument is given, or is not given. */
      readonly if?: string;
      readonly unless?: string;
    }
  /** A column for each name in this option, separated by commas. */
  | { readonly each: string };

type Calls = RouteCall | readonly RouteCall[];

type Described<Answer, Sent, Line extends string, Path extends string, Name extends string> = {
  /** Names, then arguments: `keys show <account> <key>`. */
  readonly command: Line;
  readonly about: string;
  /** Its parameters are arguments or options by name. Of several, the first of which all parameters are given. */
  readonly call: Path | readonly Path[];
  /** Called instead if a member is given. */
  readonly change?: Calls;
  /** What arguments in the path mean. */
  readonly arguments?: { readonly [Name in ArgumentOf<Line>]?: string };
  readonly options?: { readonly [One in Name]: Input };
  /** Always sent. */
  readonly send?: Partial<Sent>;
  /** The answer is a list, by default in pages. */
  readonly columns?: readonly Column<MemberOf<Answer>>[];
  /** The answer is not in pages: its rows are in this member. */
  readonly rowsIn?: 'items' | 'data';
  /** The answer is this member and a secret, which is shown once. */
  readonly secretOf?: string;
  /** Printed instead of the answer. */
  readonly done?: string;
  /** Exit code 1 unless this member has this value. */
  readonly expects?: readonly [MemberOf<Answer>, unknown];
};

type ArgumentOf<Line extends string> = Line extends `${string}${'<' | '['}${infer Name}${'>' | ']'}${infer Rest}`
  ? Name | ArgumentOf<Rest>
  : never;
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;
/** `<model>` is an owner and a name. */
type Given<Line extends string> = ArgumentOf<Line> | ('model' extends ArgumentOf<Line> ? 'owner' | 'name' : never);
/** Parameters that neither an argument nor an option gives. */
type Missing<Line extends string, Path extends string, Names> = Exclude<ParameterOf<Path>, Given<Line> | Names>;

/** `commandFor<Key, Static<typeof NewKey>>()({ … })`: what is in the answer, or in an item of it; and what is sent. */
export const commandFor =
  <Answer, Sent = Record<never, never>>() =>
  <
    const Line extends string,
    const Path extends RouteCall,
    Name extends MemberOf<Sent> | ParameterOf<Path> | `-${string}` = never,
  >(
    described: Described<Answer, Sent, Line, Path, Name> &
      ([Missing<Line, Path, Name>] extends [never] ? unknown : { readonly missing: Missing<Line, Path, Name> }),
  ): AdminCommand =>
    described as unknown as AdminCommand;

export type AdminCommand = {
  readonly command: string;
  readonly about: string;
  readonly call: Calls;
  readonly change?: Calls;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, Input>>;
  readonly send?: Readonly<Record<string, unknown>>;
  readonly columns?: readonly Column[];
  readonly rowsIn?: 'items' | 'data';
  readonly secretOf?: string;
  readonly done?: string;
  readonly expects?: readonly [string, unknown];
};

/** Commands below one name. */
export type CommandGroup = {
  readonly group: string;
  readonly about: string;
  readonly commands: readonly AdminCommand[];
};
