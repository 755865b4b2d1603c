// Commands that are described by the gateway's admin API: from the description to the command line, to the call, to the output.

import type { AdminCommand, CommandGroup } from '@trivium/gateway/commands';
import { type Command, Option } from 'commander';
import { type AdminOptions, callAdmin, listAdmin, type Row, withAdminOptions } from './admin-client.ts';
import { printOne, printRows, rowsIn } from './table.ts';
import type { Terminal } from './terminal.ts';

type Values = Record<string, unknown>;
type Input = NonNullable<AdminCommand['options']>[string];

/** A command as it was typed. */
export type Typed = {
  readonly terminal: Terminal;
  readonly described: AdminCommand;
  readonly options: AdminOptions;
  /** Options and arguments by name. An argument goes first: `webhooks add` has a `<url>`, which is not where it is sent. */
  readonly given: Row;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its parameters and its query. */
  readonly path: string;
  readonly body?: Row;
};

/** What a command does instead of the usual, or to its members before they are sent. */
export type Special = {
  readonly prepare?: (members: Values, given: Row, terminal: Terminal) => Values;
  readonly run?: (typed: Typed) => Promise<void>;
};

const NAME = /^[<[](\w+)(?:\.\.\.)?[\]>]$/;

function readingOf(text: unknown, [, , reading = {}]: Input): unknown {
  const { form, words = {}, is } = reading;
  if (is !== undefined) return is;
  if (typeof text !== 'string') return text;
  if (text in words) return words[text];
  if (form === 'commas') return text.split(',');
  if (form === 'numbers') return text.split(',').map(Number);
  if (form === 'lowercase') return text.toLowerCase();
  if (form === undefined) return text;
  if (form === 'percent' && Number.isNaN(Number(text))) throw new Error(`${text}: must be a percentage or none`);
  return Number(text);
}

/** `rights.models` is the member `models` of the member `rights`. */
function setMember(members: Values, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) members[first] = value;
  else {
    members[first] ??= {};
    setMember(members[first] as Values, rest.join('.'), value);
  }
}

const nameOf = ([flags]: Input): string => NAME.exec(flags)?.[1] ?? new Option(flags).attributeName();

/** Members in the order of their options, without those that the path takes. */
function membersOf({ options: inputs = {}, send }: AdminCommand, given: Row, inPath: ReadonlySet<string>): Values {
  const members: Values = { ...send };
  for (const [member, input] of Object.entries(inputs)) {
    if (member.startsWith('-') || inPath.has(member)) continue;
    const value = given[nameOf(input)];
    const isGiven = value !== undefined && !(input[0].startsWith('--no-') && value === true);
    const { else: otherwise, elseLike } = input[2] ?? {};
    if (isGiven) setMember(members, member, readingOf(value, input));
    else if (elseLike !== undefined && given[elseLike] !== undefined) setMember(members, member, given[elseLike]);
    else if (otherwise !== undefined) setMember(members, member, otherwise);
  }
  return members;
}

const parametersOf = (call: string): readonly string[] => [...call.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The call that a command makes; `prepare` completes its members. */
function typedAs(
  terminal: Terminal,
  described: AdminCommand,
  options: AdminOptions,
  given: Row,
  prepare: Special['prepare'],
): Typed {
  // `<model>` is an owner and a name, which may have slashes.
  const [owner, ...name] = String(given['model'] ?? '').split('/');
  const values: Row = { owner, name: name.join('/'), ...given };
  const pick = (calls: AdminCommand['call']): string =>
    [calls].flat().find((call) => parametersOf(call).every((one) => values[one] !== undefined)) ?? '';
  const own = membersOf(described, given, new Set([described.call].flat().flatMap(parametersOf)));
  const members = prepare?.(own, given, terminal) ?? own;
  const isEmpty = Object.keys(members).length === 0;
  const [method, path = ''] = pick((isEmpty ? undefined : described.change) ?? described.call).split(' ');
  const whole = path.replaceAll(/\{(\w+)\}/g, (_, one: string) => encodeURIComponent(String(values[one])));
  const typed = { terminal, described, options, given, method: method as Typed['method'], path: whole };
  if (method === 'POST' || method === 'PATCH')
    return isEmpty && described.options === undefined && described.send === undefined
      ? typed
      : { ...typed, body: members };
  const query = Object.entries(members).map(([one, value]) => `${one}=${encodeURIComponent(String(value))}`);
  return query.length === 0 ? typed : { ...typed, path: `${whole}?${query.join('&')}` };
}

/** `Answer`: as the contract of the call says. */
export const answerOf = <Answer extends Row = Row>({ terminal, options, method, path, body }: Typed): Promise<Answer> =>
  callAdmin(terminal, options, method, path, body) as Promise<Answer>;

export async function runTyped(typed: Typed): Promise<void> {
  const { terminal, described, options, given, method, path } = typed;
  const { columns, rowsIn: member, secretOf, done, expects } = described;
  if (columns !== undefined && (method === 'GET' || member !== undefined)) {
    const limit = given['limit'] === undefined ? undefined : Number(given['limit']) || 0;
    const rows =
      member === undefined ? await listAdmin(terminal, options, path, limit) : rowsIn((await answerOf(typed))[member]);
    printRows(terminal, options, rows, columns, given);
    return;
  }
  const answer = await answerOf(typed);
  const shown = secretOf === undefined || options.json ? answer : ((answer[secretOf] ?? {}) as Row);
  if (done === undefined) printOne(terminal, options, shown);
  else terminal.print(options.json ? '{}' : done);
  if (secretOf !== undefined && !options.json && answer['secret'] !== null)
    terminal.print(`secret, shown this once: ${String(answer['secret'])}`);
  if (expects !== undefined && answer[expects[0]] !== expects[1]) terminal.setExitCode(1);
}

const childOf = (parent: Command, name: string): Command =>
  parent.commands.find((command) => command.name() === name) ?? parent.command(name);

function addCommand(program: Command, terminal: Terminal, described: AdminCommand, special: Special = {}): void {
  const words = described.command.split(' ');
  const args = words.filter((word) => NAME.test(word));
  const inputs = Object.values(described.options ?? {});
  const command = withAdminOptions(
    words
      .slice(0, words.length - args.length)
      .reduce(childOf, program)
      .description(described.about),
  );
  const argumentNames = args.map((word) => NAME.exec(word)?.[1] ?? '');
  for (const [index, word] of args.entries())
    command.argument(
      word,
      described.arguments?.[argumentNames[index] ?? ''] ?? inputs.find(([flags]) => flags === word)?.[1],
    );
  for (const [flags, about, { default: value, required, form } = {}] of inputs) {
    // So that a negative number is not parsed as an option.
    if (form === 'percent') command.allowUnknownOption();
    if (NAME.test(flags)) continue;
    const option = new Option(flags, about).makeOptionMandatory(required === true);
    command.addOption(value === undefined ? option : option.default(value));
  }
  command.action(async (...all: unknown[]) => {
    const options = all[args.length] as AdminOptions;
    const given = { ...options, ...Object.fromEntries(argumentNames.map((name, index) => [name, all[index]])) };
    await (special.run ?? runTyped)(typedAs(terminal, described, options, given, special.prepare));
  });
}

/** Below the command of the group, which is made unless it exists. */
export function addGroup(
  program: Command,
  terminal: Terminal,
  { group, about, commands }: CommandGroup,
  special: Readonly<Record<string, Special>>,
): void {
  const parent = group.split(' ').reduce(childOf, program);
  if (parent.description() === '') parent.description(about);
  for (const one of commands) addCommand(program, terminal, one, special[one.command.replace(/ [<[].*/, '')]);
}
