/** Markdown of the API reference: one page per group of calls, and one of the objects they share. */
import { code, tableRow } from '../generated-document.ts';
import { type ApiDocument, type Call, parametersOf, responsesOf } from './document.ts';
import type { Schema } from './example-of.ts';
import { branchesOf, fieldTable, typeText } from './fields.ts';
import { FENCES, LANGUAGES, type Origin, type SampleCall, sampleOf } from './samples.ts';

export type Group = {
  readonly file: string;
  readonly title: string;
  readonly about: string;
  readonly calls: readonly Call[];
};
export type Api = {
  readonly document: ApiDocument;
  readonly origin: Origin;
  readonly groups: readonly Group[];
  readonly script: string;
  /** Who may make a call, and what stands above every page. */
  readonly intro: string;
  /** Form parts that are files, by call. */
  readonly files?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly headers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Query parameters of the sample, by call; other calls show none that is optional. */
  readonly query?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const OBJECTS = 'objects.md';

export const headingOf = ({ method, path }: Call): string => `${method} ${path}`;
export const anchorOf = (call: Call): string =>
  headingOf(call)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``;

const PLAIN = /[!*'()]/g;
const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('%2F', '/')
    .replaceAll('%2C', ',')
    .replaceAll(PLAIN, (one) => `%${one.charCodeAt(0).toString(16)}`);

/** The call that the samples make. */
function sampleCall({ document, origin, files, headers, query }: Api, call: Call): SampleCall {
  const { operation, method, path } = call;
  const parameters = parametersOf(document, call);
  const exampleAt = (name: string, place: string): string =>
    String(parameters.find((one) => one.name === name && one.in === place)?.example ?? '');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(exampleAt(name, 'path')));
  const asked = [
    ...Object.entries(query?.[operation.operationId] ?? {}),
    ...parameters
      .filter((one) => one.in === 'query' && one.required === true)
      .map(({ name }) => [name, exampleAt(name, 'query')] as const),
  ];
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const form = files?.[operation.operationId];
  const body = content?.example as Readonly<Record<string, unknown>> | undefined;
  const answers =
    operation.responses['200']?.content ?? operation.responses['201']?.content ?? operation.responses['202']?.content;
  const isStream = path.endsWith(':streamGenerateContent');
  return {
    method,
    origin: operation.security?.length === 0 ? { ...origin, secret: undefined } : origin,
    target:
      filled + (asked.length === 0 ? '' : `?${asked.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`),
    headers: headers?.[operation.operationId] ?? {},
    ...(body !== undefined && {
      body: form === undefined ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !(name in form))),
    }),
    ...(form !== undefined && { files: form }),
    isText: isStream || !Object.keys(answers ?? {}).includes('application/json'),
  };
}

const samples = (api: Api, call: Call): string =>
  [
    '::: code-group',
    '',
    ...LANGUAGES.map(
      (language) => `${fence(`${FENCES[language]} [${language}]`, sampleOf(language, sampleCall(api, call)))}\n`,
    ),
    ':::',
  ].join('\n');

const parameterTable = (api: Api, call: Call): readonly string[] => {
  const rows = parametersOf(api.document, call).map(({ name, in: place, required, description = '', schema }) =>
    tableRow([
      code(name),
      place,
      typeText(schema, OBJECTS),
      [required === true && place !== 'path' ? '**Required.**' : '', description]
        .filter(Boolean)
        .join(' ')
        .replaceAll('|', '\\|') || String(schema['description'] ?? '–').replaceAll('|', '\\|'),
    ]),
  );
  return rows.length === 0
    ? []
    : ['### Parameters', '', '| Name | In | Type | Meaning |', '|---|---|---|---|', ...rows, ''];
};

const shown = (example: unknown): string => fence('json', JSON.stringify(example, null, 2));

/** The table of a schema, or of the named schema it is. */
function tableOf({ document }: Api, schema: Schema, isAnswer: boolean): string {
  const name = typeof schema['$ref'] === 'string' ? (schema['$ref'].split('/').at(-1) ?? '') : undefined;
  const own = name === undefined ? schema : (document.components.schemas[name] ?? schema);
  return fieldTable(own, OBJECTS, isAnswer);
}

function bodyPart(api: Api, { operation }: Call): readonly string[] {
  return Object.entries(operation.requestBody?.content ?? {}).flatMap(([media, { schema, example }]) => [
    '### Body',
    '',
    ...(media === 'application/json' ? [] : [`As ${code(media)}.`, '']),
    tableOf(api, schema, false),
    '',
    shown(example),
    '',
  ]);
}

function answerPart(api: Api, call: Call): readonly string[] {
  const all = responsesOf(api.document, call);
  const good = all.filter(([status]) => /^[23]/.test(status));
  const bad = all.filter(([status]) => /^[45]/.test(status));
  const example = bad[0]?.[1].content?.['application/json']?.example;
  return [
    ...good.flatMap(([status, { content = {} }]) => {
      const medias = Object.keys(content);
      const first = content[medias[0] ?? ''];
      return [
        `### Answer ${status}`,
        '',
        ...(medias.some((media) => media !== 'application/json') ? [`As ${medias.map(code).join(' or ')}.`, ''] : []),
        ...(first === undefined ? [] : [tableOf(api, first.schema, true), '']),
        ...(first?.example === undefined ? [] : [shown(first.example), '']),
      ];
    }),
    '### Errors',
    '',
    '| Status | When |',
    '|---|---|',
    ...bad.map(([status, { description }]) => tableRow([status, description])),
    '',
    ...(example === undefined ? [] : [shown(example), '']),
  ];
}

const callPart = (api: Api, call: Call): string =>
  [
    `## ${code(headingOf(call))}`,
    '',
    [call.operation.summary, call.operation.description].filter(Boolean).join(' '),
    '',
    samples(api, call),
    '',
    ...parameterTable(api, call),
    ...bodyPart(api, call),
    ...answerPart(api, call),
  ].join('\n');

const page = (api: Api, { title, about, calls }: Group): string =>
  [
    `# ${title}`,
    '',
    `<!-- Generated by ${api.script} from the OpenAPI document. Do not edit. -->`,
    '',
    about,
    api.intro,
    '',
    ...calls.map((call) => callPart(api, call)),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');

const objectPart = (name: string, schema: Schema): string =>
  [
    `## ${name}`,
    '',
    ...(typeof schema['description'] === 'string' ? [schema['description'], ''] : []),
    ...(branchesOf(schema).length > 0
      ? branchesOf(schema).flatMap(({ title, schema: branch }) => [
          `**${code(title)}**`,
          '',
          fieldTable(branch, OBJECTS, false) || 'No fields of its own.',
          '',
        ])
      : [fieldTable(schema, OBJECTS, false) || `${typeText(schema, OBJECTS)}.`, '']),
  ].join('\n');

/** File names below the folder of the reference, and their text. */
export function pagesOf(api: Api, title: string): ReadonlyMap<string, string> {
  const objects = [
    `# ${title}`,
    '',
    `<!-- Generated by ${api.script} from the OpenAPI document. Do not edit. -->`,
    '',
    'Objects that several calls take or return.',
    '',
    ...Object.entries(api.document.components.schemas).map(([name, schema]) => objectPart(name, schema)),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
  return new Map([...api.groups.map((group) => [`${group.file}.md`, page(api, group)] as const), [OBJECTS, objects]]);
}

/** The table of all calls, for the overview. */
export const overviewOf = ({ groups }: Api, folder: string): string =>
  groups
    .map(({ file, title, calls }) =>
      [
        `## ${title}`,
        '',
        '| Call | Does |',
        '|---|---|',
        ...calls.map((call) =>
          tableRow([`[${code(headingOf(call))}](${folder}/${file}.md#${anchorOf(call)})`, call.operation.summary]),
        ),
        '',
      ].join('\n'),
    )
    .join('\n');
