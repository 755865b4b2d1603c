// Writes the commands and options in docs/reference/cli.md from the definitions that the command line runs with; with --check it
// only says whether the page is stale. The text before the mark is written by hand.
// Run: node --conditions=trivium-source scripts/docs/generate-cli.ts [--check]

import { readFileSync } from 'node:fs';
import { buildProgram } from '../../packages/cli/src/program.ts';
import { systemTerminal } from '../../packages/cli/src/terminal.ts';
import { code, tableRow, writeOrCheck } from './generated-document.ts';

const SCRIPT = 'scripts/docs/generate-cli.ts';
const PAGE = new URL('../../docs/reference/cli.md', import.meta.url);
const MARK = '<!-- generated from here on -->';
/** Options of nearly every command: described once, before the mark. */
const COMMON: ReadonlySet<string> = new Set(['--help', '--url', '--json']);

type Command = ReturnType<typeof buildProgram>;
type Option = Command['options'][number];
type Argument = Command['registeredArguments'][number];

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const argumentTerm = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

const visible = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help') as readonly Command[];

/** Commands that do something, with their whole path. */
const leavesOf = (command: Command, path: string): readonly { readonly path: string; readonly command: Command }[] => {
  const children = visible(command);
  return children.length === 0
    ? [{ path, command }]
    : children.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
};

const meaningOf = (option: Option): string => {
  const value = option.defaultValueDescription ?? option.defaultValue;
  const isSaid = value === undefined || value === false || option.description.includes('(default');
  return inCell(
    `${option.description}${option.mandatory ? ' (required)' : ''}${isSaid ? '' : ` (default: ${String(value)})`}`,
  );
};

const rowsOf = (command: Command): readonly string[] => [
  ...command.registeredArguments
    .filter(({ description, argChoices }) => description !== '' || argChoices !== undefined)
    .map((argument) =>
      tableRow([
        code(argumentTerm(argument)),
        inCell([argument.description, argument.argChoices?.join(', ')].filter(Boolean).join(': ')),
      ]),
    ),
  ...command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long === undefined || !COMMON.has(long))
    .map((option) => tableRow([code(option.flags), meaningOf(option)])),
];

const sectionOf = ({ path, command }: { readonly path: string; readonly command: Command }): string => {
  const usage = [path, ...command.registeredArguments.map(argumentTerm)].join(' ');
  const rows = rowsOf(command);
  const table = rows.length === 0 ? '' : `\n| Option | Meaning |\n|---|---|\n${rows.join('\n')}\n`;
  return `${code(usage)}: ${inCell(command.description())}.\n${table}`;
};

const commandSection = (command: Command): string => {
  const path = `trivium ${command.name()}`;
  const leaves = leavesOf(command, path);
  const isGroup = visible(command).length > 0;
  return [
    `### ${path}\n`,
    ...(isGroup ? [`${inCell(command.description()).replace(/^./, (first) => first.toUpperCase())}.\n`] : []),
    ...leaves.map(sectionOf),
  ].join('\n');
};

const reference = (): string => {
  const program = buildProgram(systemTerminal());
  const all = visible(program);
  const titles = [...new Set(all.map((command) => command.helpGroup()))];
  return titles
    .map((title) => ({ title, commands: all.filter((command) => command.helpGroup() === title) }))
    .map(({ title, commands }) => `## ${title.replace(/:$/, '')}\n\n${commands.map(commandSection).join('\n')}`)
    .join('\n');
};

if (import.meta.main) {
  const [intro = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  writeOrCheck({ target: PAGE, script: SCRIPT, text: `${intro.trimEnd()}\n\n${MARK}\n\n${reference().trimEnd()}\n` });
}
