/**
 * The schemas of the makers' types: generated once for each set of SDK versions, kept in node_modules/.cache, and compiled once
 * in each process, with the deviations laid over them.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { DEVIATIONS, type Deviation, type Maker } from './deviations.ts';
import { type Definitions, explain, type Schema } from './explain.ts';

export type MakerSchema = { readonly properties: Readonly<Record<string, Schema>>; readonly definitions: Definitions };

const ROOT = new URL('../../', import.meta.url);
const CACHE = new URL('node_modules/.cache/contract/', ROOT);
/** What the schemas are made of: a change of any makes them anew. */
const SOURCES = [
  'tests/contract/wire-types.ts',
  'tests/contract/generate.ts',
  'tests/contract/tsconfig.generate.json',
  ...['openai', '@anthropic-ai/sdk', '@google/genai', 'cohere-ai', 'voyageai', 'ts-json-schema-generator'].map(
    (name) => `node_modules/${name}/package.json`,
  ),
];

export function generatedSchemas(): Record<Maker, MakerSchema> {
  if (!existsSync(new URL('node_modules/ts-json-schema-generator/', ROOT)))
    throw new Error('ts-json-schema-generator is not installed: run npm ci');
  const hash = createHash('sha256');
  for (const source of SOURCES) hash.update(readFileSync(new URL(source, ROOT)));
  const file = fileURLToPath(new URL(`${hash.digest('hex').slice(0, 16)}.json`, CACHE));
  if (!existsSync(file)) {
    mkdirSync(CACHE, { recursive: true });
    // Several processes may do so at once: each writes a file of its own, and the last to finish wins.
    const own = `${file}.${process.pid}`;
    execFileSync(process.execPath, [fileURLToPath(new URL('generate.ts', import.meta.url)), own]);
    renameSync(own, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Record<Maker, MakerSchema>;
}

export type Contract = {
  /** What is wrong with a body of this kind. `profile` is who the host is, where hosts of one format differ. */
  problems(kind: string, body: unknown, profile?: string): readonly string[];
};

let compiled: Contract | undefined;
/** The contract with all its deviations, compiled when first asked for. */
export const contract = (): Contract => {
  compiled ??= compileContract(DEVIATIONS);
  return compiled;
};

export function compileContract(deviations: readonly Deviation[]): Contract {
  const generated = generatedSchemas();
  const judges = new Map<string, (body: unknown) => readonly string[]>();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const profile of new Set([undefined, ...deviations.map(({ at }) => at)]))
    for (const maker of Object.keys(generated) as Maker[]) {
      const mine = deviations.filter((one) => one.maker === maker && (one.at === undefined || one.at === profile));
      if (profile !== undefined && !mine.some(({ at }) => at === profile)) continue;
      const schema = mine.reduce(layOver, generated[maker]);
      const $id = `${maker}@${profile ?? ''}`;
      ajv.addSchema({ ...schema, $id });
      for (const [kind, root] of Object.entries(schema.properties)) {
        judges.set(`${kind}@${profile ?? ''}`, (body) => {
          // Compiled when a body of the kind first comes, and kept by the compiler.
          const validate = ajv.getSchema(`${$id}#/properties/${kind}`);
          if (validate === undefined) throw new Error(`no schema of ${kind}`);
          return validate(body) === true ? [] : explain(root, body, schema.definitions);
        });
      }
    }
  return {
    problems: (kind, body, profile = '') => {
      const judge = judges.get(`${kind}@${profile}`) ?? judges.get(`${kind}@`);
      if (judge === undefined) throw new Error(`the contract has no bodies of the kind ${kind}`);
      return judge(body);
    },
  };
}

/** Fails where the type has come to agree, or is gone: the deviation is out of date then. */
function layOver(schema: MakerSchema, { maker, type, members, is, as = {} }: Deviation): MakerSchema {
  const fail = (why: string): never => {
    throw new Error(`the deviation of ${maker} ${type} (${members}) is out of date: ${why}`);
  };
  const found = schema.definitions[type] ?? fail('there is no such type');
  const properties = { ...found.properties };
  for (const member of members) {
    const own = properties[member];
    if ((own === undefined) !== (is === 'extra')) fail(`${member} is ${own === undefined ? 'not ' : ''}in the type`);
    if (is === 'absent' && found.required?.includes(member) !== true) fail(`${member} is not required`);
    if (is === 'extra') properties[member] = as;
    else if (is === 'also') properties[member] = { anyOf: [own ?? {}, as] };
  }
  const required = (found.required ?? []).filter((one) => is !== 'absent' || !members.includes(one));
  return { ...schema, definitions: { ...schema.definitions, [type]: { ...found, properties, required } } };
}
