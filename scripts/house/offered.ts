/** What users are offered, by lists of names: routes and members, commands and options, settings, metrics, pages of the console. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = new URL('../..', import.meta.url).pathname;
const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);
/** What leads to the members of a schema without being one. */
const AROUND = ['schema', 'items', 'anyOf', 'oneOf', 'allOf', 'content', 'responses', 'requestBody'] as const;

export type Offered = Readonly<Record<string, readonly string[]>>;
type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** `section.member`, `providers.*.baseUrl`: with where they are, and without what is said about them. */
function membersIn(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => membersIn(one, path));
  if (!isNode(value)) return [];
  const { properties, additionalProperties, patternProperties } = value;
  const own = Object.entries(isNode(properties) ? properties : {}).flatMap(([name, inner]) => [
    `${path}${name}`,
    ...membersIn(inner, `${path}${name}.`),
  ]);
  const any = [additionalProperties, ...Object.values(isNode(patternProperties) ? patternProperties : {})];
  return [
    ...own,
    ...any.flatMap((inner) => membersIn(inner, `${path}*.`)),
    ...AROUND.flatMap((name) => {
      const inner = value[name];
      const isMap = name === 'content' || name === 'responses';
      return membersIn(isMap && isNode(inner) ? Object.values(inner) : inner, path);
    }),
  ];
}

/** Routes with their parameters and members, and the members of schemas that they share. */
function namesOfApi(api: Node): readonly string[] {
  const routes = Object.entries(api['paths'] as Node).flatMap(([path, route]) =>
    Object.entries(route as Node)
      .filter(([method]) => METHODS.has(method))
      .flatMap(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const parameters = ((operation as Node)['parameters'] ?? []) as readonly Node[];
        return [
          name,
          ...parameters.map((one) => `${name} ?${String(one['name'] ?? one['$ref'])}`),
          ...membersIn((operation as Node)['requestBody'], `${name} < `),
          ...membersIn((operation as Node)['responses'], `${name} > `),
        ];
      }),
  );
  const schemas = ((api['components'] as Node | undefined)?.['schemas'] ?? {}) as Node;
  return [...routes, ...Object.entries(schemas).flatMap(([name, schema]) => membersIn(schema, `${name}.`))];
}

const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

/** Each with its options. */
function namesOfCommands(page: string): readonly string[] {
  let command = '';
  return page.split('\n').flatMap((line) => {
    const [, started, option] = /^(?:`(trivium [^`]+)`: |\| `([^`]+)` )/.exec(line) ?? [];
    command = started ?? command;
    return started === undefined && option === undefined
      ? []
      : [option === undefined ? command : `${command} ${option}`];
  });
}

const HEADING = '# ';

/** A list after the other, under their names. */
export const textOf = (offered: Offered): string =>
  Object.entries(offered)
    .flatMap(([list, names]) => [`${HEADING}${list}`, ...names])
    .join('\n')
    .concat('\n');

export function readOffered(version: string): Offered {
  const lists: Record<string, string[]> = {};
  let list: string[] = [];
  for (const line of readFileSync(new URL(`offered-${version}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n'))
    if (line.startsWith(HEADING)) lists[line.slice(HEADING.length)] = list = [];
    else list.push(line);
  return lists;
}

/** Of this checkout. */
export function offeredNow(): Offered {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const cli = read('docs/reference/cli.md');
  const metrics = read('docs/operate/metrics.md');
  const sources = globSync('packages/gateway/src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const lists: Record<string, readonly string[]> = {
    'admin API': namesOfApi(JSON.parse(read('docs/reference/admin-api.json')) as Node),
    calls: namesOfApi(JSON.parse(read('docs/reference/data-plane-api.json')) as Node),
    'commands and options': namesOfCommands(cli.slice(cli.indexOf('<!-- generated from here on -->'))),
    settings: membersIn(JSON.parse(read('packages/gateway/config.schema.json')), ''),
    // Roles of the database have such names, too.
    metrics: matches(sources, /'(trivium_[a-z_]+)'/g).filter((name) => metrics.includes(name)),
    'pages of the console': matches(read('packages/console/src/app/pages.ts'), /path: '([^']+)'/g),
  };
  return Object.fromEntries(Object.entries(lists).map(([list, names]) => [list, [...new Set(names)].sort()]));
}

/** What was offered and is no more, but for names whose time to go has come. */
export const goneFrom = (before: Offered, now: Offered, retired: readonly string[]): readonly string[] =>
  Object.entries(before).flatMap(([list, names]) => {
    const today = new Set(now[list]);
    const gone = names.filter((name) => !today.has(name)).map((name) => `${list}: ${name}`);
    return gone.filter((name) => !retired.includes(name));
  });
