/** Forbidden words: paths and addresses of machines anywhere, provider names in the core, riddling words in comments and docs. */
import { describe, expect, test } from 'vitest';
import * as registry from '../../packages/gateway/src/models/providers/registry.ts';
import { files, read } from './tree.ts';

const BINARY = /\.(?:png|ico|woff2?|gz|pdf)$/;

/** Written in pieces, so that this file does not hold what it looks for. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a path of one machine', new RegExp(`(?<![\\w.:/-])/${'wo'}rk(?:/|\\b(?!-))`)],
  ['a path outside the repository', new RegExp(`\\.\\./${'sha'}red/|(?<![\\w/-])${'sha'}red/`)],
  [
    'the address of a package registry',
    new RegExp(
      `registry\\.${'npm'}js|registry\\.${'yarn'}pkg|${'npm'}mirror|files\\.${'python'}hosted|${'py'}pi\\.org|"${'resol'}ved": "http`,
    ),
  ],
];

test.each(FORBIDDEN)('no file holds %s', (_what, pattern) => {
  const found = files
    .filter((file) => !BINARY.test(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}`] : [])),
    );
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

describe('no host is named in the core', () => {
  const ZONES = [
    ...['admit', 'endpoints', 'entry', 'exchange', 'lanes', 'plan'].map(
      (room) => `packages/gateway/src/calls/${room}/`,
    ),
    'packages/gateway/src/kernel/',
    'packages/protocol/src/dialects/',
    'packages/protocol/src/canonical/',
    'packages/protocol/src/stream/',
  ];
  const core = files.filter(
    (file) =>
      ZONES.some((zone) => file.startsWith(zone)) && file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file),
  );
  const ids = Object.values(registry).map(({ id }) => id);

  /** Wire formats carry the names of those who made them; so do the format words that stand in their answers. */
  const FORMATS =
    /\b(?:openai-(?:chat|responses|images)|anthropic-messages|google-(?:generate|predict|operations)|anthropic-claude-v1|google-gemini-v1|openai-responses-v1|anthropic_(?:version|beta))\b|\bopenaiChat\b/g;

  /** Where a host's name is something else; each with its reason. */
  const ALLOWED: readonly {
    readonly id: RegExp;
    readonly file: RegExp;
    readonly line: RegExp;
    readonly why: string;
  }[] = [
    { id: /^together$/, file: /./, line: /\w together\b/, why: 'an English word when another word stands before it' },
    { id: /^openai$/, file: /\/check-input\.ts$/, line: /AI SDK/, why: 'an option of a client' },
    { id: /^meta$/, file: /\/cohere-rerank\//, line: /'meta'|meta: \{/, why: 'a member of answers' },
    { id: /./, file: /\/seals\.ts$/, line: /FAMILIES/, why: 'the makers whose models can verify a seal, not hosts' },
  ];
  const isAllowed = (file: string, id: string, line: string): boolean =>
    ALLOWED.some((entry) => entry.id.test(id) && entry.file.test(file) && entry.line.test(line));

  const mentions = (file: string, id: string): string[] =>
    read(file)
      .replaceAll(FORMATS, 'format')
      .split('\n')
      .flatMap((line, at) => {
        if (!new RegExp(`(?<![a-z-])${id}(?![a-z-])`, 'i').test(line)) return [];
        return isAllowed(file, id, line) ? [] : [`${file}:${at + 1}: ${line.trim()}`];
      });

  test('there are hosts to look for, and files to look in', () => {
    expect(ids.length).toBeGreaterThan(20);
    expect(core.length).toBeGreaterThan(50);
  });
  test.each(ids)('%s', (id) => expect(core.flatMap((file) => mentions(file, id))).toEqual([]));
});

describe('names are the words the field uses', () => {
  /** Private names of earlier releases, each with the word that took its place. */
  const PRIVATE: readonly (readonly [name: string, instead: string])[] = [
    ['till', 'node ledger'],
    ['purse', 'budget balance'],
    ['bury', 'reap'],
    ['forgone', 'write-off'],
    ['desk', 'operation service'],
    ['watchman', 'operation poller'],
    ['courier', 'webhook dispatcher'],
    ['errand', 'follow-up request'],
    ['keeper', 'recorder, store'],
    ['roster', 'swap-remove list'],
    ['pulse', 'timeouts'],
    ['machinery', 'services'],
    ['voice', 'protocol adapter'],
    ['wish', 'preference, option'],
    ['door', 'client, parse'],
    ['pump', 'stream translator'],
    ['news', 'notifications'],
    ['onlyonce', 'idempotency'],
    ['tryway', 'attempt'],
  ];
  const sources = files.filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file));
  const EXPORTED =
    /^export (?:default )?(?:abstract )?(?:async )?(?:class|function\*?|const|let|type|interface|enum) (\w+)/gm;
  /** `EmbeddedWish` and `EMBEDDED_WISH` are both made of "embedded" and "wish"; `still` is not made of "till". */
  const wordsOf = (name: string): readonly string[] =>
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[^a-z0-9]+/);
  const isPrivate = (name: string): boolean => {
    const words = wordsOf(name);
    const joined = words.join('');
    return PRIVATE.some(([bad]) => [bad, `${bad}s`, `${bad}es`].some((one) => words.includes(one) || joined === one));
  };
  /** Names that are something else; each with its reason. */
  const ALLOWED: ReadonlyMap<string, string> = new Map([]);

  test('the check knows a private name when it sees one', () => {
    for (const bad of ['OperationDesk', 'HOST_WISH', 'stream-pump.ts', 'onlyOnce', 'voices', 'tryWay'])
      expect(isPrivate(bad)).toBe(true);
    for (const good of ['stillRunning', 'invoiceTotal', 'indoor', 'newsletter']) expect(isPrivate(good)).toBe(false);
  });
  test('in file names', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((file) => file.split('/').slice(3).some(isPrivate))).toEqual([]);
  });
  test('in exported identifiers', () => {
    const found = sources.flatMap((file) =>
      [...read(file).matchAll(EXPORTED)].flatMap(([, name = '']) =>
        isPrivate(name) && !ALLOWED.has(name) ? [`${file}: ${name}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });
});

describe('the shape of the gateway', () => {
  const GATEWAY = 'packages/gateway/src/';
  const own = files.filter(
    (file) => file.startsWith(GATEWAY) && file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file),
  );
  test('the operation of a request is asked for in lanes and endpoints only', () => {
    const path = own.filter((file) => /\/calls\/(?:entry|plan|admit|exchange)\//.test(file));
    expect(path.length).toBeGreaterThan(20);
    expect(path.filter((file) => /operation\s*[!=]==/.test(read(file)))).toEqual([]);
  });
  test('on the path of a call nothing reads a clock or makes a random number by itself', () => {
    const path = own.filter((file) => file.includes('/calls/'));
    expect(path.length).toBeGreaterThan(100);
    const OWN = /Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|hrtime/;
    expect(path.filter((file) => OWN.test(read(file)))).toEqual([]);
  });
  test('no file or folder has a name that could hold anything', () => {
    const VAGUE = /^(?:utils?|helpers?|common|managers?)(?:$|[-.])|-(?:utils?|helpers?|manager)\./;
    expect(
      files.filter((file) => /^packages\/[^/]+\/src\//.test(file) && file.split('/').some((part) => VAGUE.test(part))),
    ).toEqual([]);
  });
  test('hardly a file stands at the root', () => {
    expect(own.filter((file) => !file.slice(GATEWAY.length).includes('/'))).toEqual([`${GATEWAY}main.ts`]);
  });
});

describe('the texts of the admin API', () => {
  type Described = { readonly description?: unknown };
  const document = JSON.parse(read('docs/reference/admin-api.json')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
  };
  const summaries = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ summary }) => summary),
  );
  const descriptionsIn = (value: unknown): readonly string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { description } = value as Described;
    return [...(typeof description === 'string' ? [description] : []), ...Object.values(value).flatMap(descriptionsIn)];
  };
  /** Parts of a sentence whose rest is elsewhere, and riddles about who does what. */
  const HALF = /^(?:Of|That|Those|Who|How many)\b|\b(?:made up|to blame|let in|kept nowhere|paid in less|set aside)\b/;

  test('a summary says what the call does: a verb and its object', () => {
    expect(summaries.length).toBeGreaterThan(90);
    expect(summaries.filter((summary) => !/^(?:Re-)?[A-Za-z][a-z]+s,? (?:\S+ )*\S+\.$/.test(summary))).toEqual([]);
  });
  test('a description can be read alone', () => {
    const descriptions = descriptionsIn(document);
    expect(descriptions.length).toBeGreaterThan(300);
    expect(descriptions.filter((description) => HALF.test(description))).toEqual([]);
    expect(HALF.test('Of the input, read from a cache.')).toBe(true);
  });
});

describe('comments and docs use plain words', () => {
  /** Each hides who does what, or has a usual word. */
  const RIDDLES = /\b(?:told|nobody|whoever|somebody|everybody|so (?:many|much)|dearest|for want of|wish(?:es|ed)?)\b/i;
  const COMMENT = /^\s*(?:\/\/|\/?\*)/;
  const find = (file: string, isJudged: (line: string) => boolean): string[] =>
    read(file)
      .split('\n')
      .flatMap((line, at) =>
        isJudged(line) && RIDDLES.test(line.replaceAll(/`[^`]*`/g, '')) ? [`${file}:${at + 1}: ${line.trim()}`] : [],
      );

  test('in comments of the packages', () => {
    const sources = files.filter((file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap((file) => find(file, (line) => COMMENT.test(line)))).toEqual([]);
  });

  test('in pages for users', () => {
    const pages = files.filter((file) =>
      /^(?:README|docs\/(?:start|connect|call|operate|reference|understand)\/.*)\.md$/.test(file),
    );
    expect(pages.length).toBeGreaterThan(50);
    expect(pages.flatMap((file) => find(file, () => true))).toEqual([]);
  });
});
