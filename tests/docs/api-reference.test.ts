/** Every operation of both OpenAPI documents says what it does, with its fields, examples that fit their schemas, and errors. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type ApiDocument, callsOf, parametersOf, responsesOf } from '../../scripts/docs/api/document.ts';
import { anchorOf, headingOf } from '../../scripts/docs/api/pages.ts';
import { linksOf } from './markdown.ts';
import { files, read } from './tree.ts';

const documentOf = (name: string): ApiDocument =>
  JSON.parse(readFileSync(new URL(`../../docs/reference/${name}.json`, import.meta.url), 'utf8')) as ApiDocument;

const APIS = [
  { name: 'data-plane-api', folder: 'docs/reference/api/', least: 24 },
  { name: 'admin-api', folder: 'docs/reference/admin/', least: 120 },
] as const;

describe.each(APIS)('$name', ({ name, folder, least }) => {
  const document = documentOf(name);
  const calls = callsOf(document);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: name, ...document });
  const problemsOf = (schema: object, value: unknown): readonly string[] => {
    const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${name}#/`)) as object;
    const validate = ajv.compile(own);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  const overview = read(`docs/reference/${name}.md`);
  const pages = files.filter((file) => file.startsWith(folder) && file.endsWith('.md'));

  test('has its calls', () => expect(calls.length).toBeGreaterThanOrEqual(least));
  test('no path of the data plane has a long mount', () => {
    expect(calls.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
  });
  test.each(calls.map((call) => ({ title: headingOf(call), call })))('$title', ({ call }) => {
    const { operation } = call;
    expect(operation.summary).toMatch(/\S+ \S+.*\.$/);
    for (const { name: parameter, in: place, description, schema, example } of parametersOf(document, call)) {
      if (place === 'header') continue;
      expect(`${parameter}: ${description ?? schema['description'] ?? schema['enum'] ?? ''}`).not.toBe(
        `${parameter}: `,
      );
      if (example !== undefined) expect([parameter, problemsOf(schema, example)]).toEqual([parameter, []]);
    }
    for (const [media, { schema, example }] of Object.entries(operation.requestBody?.content ?? {})) {
      expect(example).toBeDefined();
      if (media === 'application/json') expect(problemsOf(schema, example)).toEqual([]);
    }
    const answers = responsesOf(document, call);
    const good = answers.filter(([status]) => /^[23]/.test(status));
    expect(good.length).toBe(1);
    for (const [, { content = {} }] of good)
      for (const [media, { schema, example }] of Object.entries(content))
        if (media === 'application/json') {
          expect(example).toBeDefined();
          expect(problemsOf(schema, example)).toEqual([]);
        }
    const bad = answers.filter(([status]) => /^[45]/.test(status));
    expect(bad.length).toBeGreaterThan(1);
    for (const [, { description, content }] of bad) {
      const { schema = {}, example } = content?.['application/json'] ?? {};
      expect(description).not.toBe('');
      expect(example).toBeDefined();
      expect(problemsOf(schema, example)).toEqual([]);
    }
  });
  test('every call is on the overview, and its link leads to its place', () => {
    const linked = new Set(linksOf(overview).map((link) => link.split('#')[1]));
    expect(calls.map(anchorOf).filter((anchor) => !linked.has(anchor))).toEqual([]);
  });
  test('every call has samples in four languages', () => {
    const text = pages.map(read).join('\n');
    expect(text.match(/^## `(?:GET|POST|PATCH|DELETE) /gm)?.length).toBe(calls.length);
    for (const language of ['sh [curl]', 'js [JavaScript]', 'python [Python]', 'go [Go]'])
      expect([language, text.split(`\`\`\`${language}`).length - 1]).toEqual([language, calls.length]);
  });
});

test('every field of the data plane has its meaning', () => {
  const { components } = documentOf('data-plane-api');
  const silent = Object.entries(components.schemas).flatMap(([name, schema]) =>
    /Request$/.test(name)
      ? Object.entries((schema['properties'] ?? {}) as Record<string, { description?: string; $ref?: string }>)
          .filter(([, { description, $ref }]) => description === undefined && $ref === undefined)
          .map(([member]) => `${name}.${member}`)
      : [],
  );
  expect(silent).toEqual([]);
  const answers = callsOf(documentOf('data-plane-api')).flatMap(({ operation }) =>
    [...JSON.stringify(operation.responses['200']?.content).matchAll(/"description":""/g)].map(
      () => operation.operationId,
    ),
  );
  expect(answers).toEqual([]);
});
