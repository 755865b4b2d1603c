/**
 * The literal model names inside the installed agents: those an agent sends by default or offers in its picker. They are read
 * from the programs themselves, so that a new version cannot bring a name that was not looked at.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentName } from './agents.ts';

/** How much of a program is read around a mark, on either side. */
const AROUND_BYTES = 1200;

/** The text around each occurrence of `mark` in a program of hundreds of megabytes. */
function* around(program: Buffer, mark: string, before: number, after: number): Generator<string> {
  for (let at = program.indexOf(mark); at !== -1; at = program.indexOf(mark, at + mark.length))
    yield program.toString('latin1', Math.max(0, at - before), at + after);
}

const quotedIn = (text: string): string[] => [...text.matchAll(/"(claude-[a-z0-9-]+)"/g)].map(([, name = '']) => name);

/** Its table of models without those marked as unavailable through gateways; and the models of its short names (`opus`, `sonnet`). */
function claudeCode(folder: string): string[] {
  const program = readFileSync(join(folder, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude'));
  const names: string[] = [];
  for (const text of around(program, ',family:"', 60, AROUND_BYTES)) {
    const row = /\{id:"(claude-[a-z0-9-]+)",family:"[a-z]+",[^{}]*provider_ids:\{(first_party:"[^}]*)\}/.exec(text);
    if (row === null || row[2]?.includes('gateway:null') === true) continue;
    names.push(row[1] ?? '', ...(/first_party:"([^"]+)"/.exec(row[2] ?? '')?.slice(1) ?? []));
  }
  for (const text of around(program, 'aliases:{opus:{default:"claude-', 0, AROUND_BYTES))
    names.push(...quotedIn(/^aliases:\{.*?\}\}\}/.exec(text)?.[0] ?? ''));
  return names;
}

/** Its table is JSON: a model's `slug`, and later in the same row whether it is listed. */
function codex(folder: string): string[] {
  const home = join(folder, 'node_modules/@openai');
  const path = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((file) => /vendor\/.*\/codex$/.test(file));
  if (path === undefined) return [];
  const program = readFileSync(join(home, path));
  const names: string[] = [];
  for (let at = program.indexOf('"slug": "'); at !== -1; at = program.indexOf('"slug": "', at + 1)) {
    const slug = /^"slug": "([a-z0-9.-]+)"/.exec(program.toString('latin1', at, at + AROUND_BYTES))?.[1];
    const visible = program.indexOf('"visibility": "', at);
    if (slug !== undefined && program.toString('latin1', visible, visible + 20).includes('"list"')) names.push(slug);
  }
  return names;
}

/** Its constants, by the set of those it calls valid; `none` is not a model. */
function geminiCli(folder: string): string[] {
  const bundle = join(folder, 'node_modules/@google/gemini-cli/bundle');
  for (const file of readdirSync(bundle).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(bundle, file), 'utf8');
    const valid = /VALID_GEMINI_MODELS = [^[]*\[([^\]]*)\]/.exec(text)?.[1];
    if (valid === undefined) continue;
    const constants = new Map(
      [...text.matchAll(/^(?:var|let|const) ([A-Z0-9_]+_MODEL) = ("?)([^";]+)\2;$/gm)].map(
        ([, name = '', , value = '']) => [name, value],
      ),
    );
    const resolved = (name: string): string => {
      const value = constants.get(name);
      return value === undefined ? name : resolved(value);
    };
    const names = [...valid.split(',').map((name) => name.trim()), 'DEFAULT_GEMINI_EMBEDDING_MODEL'];
    return names.map(resolved).filter((name) => name !== '' && name !== 'none');
  }
  return [];
}

const READERS: Readonly<Partial<Record<AgentName, (folder: string) => string[]>>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
};

/** Sorted; undefined of agents that bring no names of their own. */
export function modelNamesIn(agent: AgentName, folder: string): readonly string[] | undefined {
  const names = READERS[agent]?.(folder);
  return names === undefined ? undefined : [...new Set(names)].sort();
}
