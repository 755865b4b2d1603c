/** One call in the languages that the reference shows: it runs as it is, with the standard library of each. */

export type SampleCall = {
  readonly method: string;
  /** Origin that the reader replaces, such as `https://gw.example.com`, or a shell variable that holds it. */
  readonly origin: Origin;
  /** Path and query, encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of a form: members that are files. */
  readonly files?: Readonly<Record<string, string>>;
  /** The answer is no JSON document. */
  readonly isText: boolean;
};

/** Where calls go and what they are authorised with, as environment variables. */
export type Origin = { readonly url: string; readonly variable?: string; readonly secret: string | undefined };

export const LANGUAGES = ['curl', 'JavaScript', 'Python', 'Go'] as const;
export type Language = (typeof LANGUAGES)[number];
export const FENCES: Readonly<Record<Language, string>> = { curl: 'sh', JavaScript: 'js', Python: 'python', Go: 'go' };

const indented = (text: string, by: number): string => text.replaceAll('\n', `\n${' '.repeat(by)}`);
const json = (value: unknown, by = 0): string => indented(JSON.stringify(value, null, 2), by);
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const entries = (of: Readonly<Record<string, unknown>> | undefined) => Object.entries(of ?? {});
const isForm = (call: SampleCall): boolean => call.files !== undefined;

function curl({ method, origin, target, headers, body, files, isText }: SampleCall): string {
  const url = `"${origin.variable === undefined ? origin.url : `$${origin.variable}`}${target}"`;
  const form = [
    ...entries(files === undefined ? undefined : (body as object as Record<string, unknown>)).map(
      ([name, value]) => `-F ${shellQuoted(`${name}=${value}`)}`,
    ),
    ...entries(files).map(([name, file]) => `-F ${name}=@${file}`),
  ];
  const lines = [
    `curl -s${isText ? 'N' : ''}${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${url}`,
    ...(origin.secret === undefined ? [] : [`-H "Authorization: Bearer $${origin.secret}"`]),
    ...entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(files !== undefined
      ? form
      : body === undefined
        ? []
        : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

function javaScript(call: SampleCall): string {
  const { method, origin, target, headers, body, files, isText } = call;
  const url =
    origin.variable === undefined ? `'${origin.url}${target}'` : `\`\${process.env.${origin.variable}}${target}\``;
  const heads = [
    ...(origin.secret === undefined ? [] : [`authorization: \`Bearer \${process.env.${origin.secret}}\``]),
    ...entries(headers).map(([name, value]) => `'${name}': '${value}'`),
    ...(body !== undefined && !isForm(call) ? ["'content-type': 'application/json'"] : []),
  ];
  const form = isForm(call)
    ? [
        "import { readFileSync } from 'node:fs';\n",
        'const form = new FormData();',
        ...entries(body as Record<string, unknown>).map(([name, value]) => `form.append('${name}', '${value}');`),
        ...entries(files).map(
          ([name, file]) =>
            `form.append('${name}', new Blob([readFileSync('${file}')], { type: 'image/png' }), '${file}');`,
        ),
      ]
    : [];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(heads.length === 0 ? [] : [`  headers: { ${heads.join(', ')} },`]),
    ...(isForm(call) ? ['  body: form,'] : body === undefined ? [] : [`  body: JSON.stringify(${json(body, 2)}),`]),
  ];
  return [
    ...form,
    options.length === 0 ? `const response = await fetch(${url});` : `const response = await fetch(${url}, {`,
    ...(options.length === 0 ? [] : [...options, '});']),
    `console.log(response.status, await response.${isText ? 'text' : 'json'}());`,
  ].join('\n');
}

const pythonValue = (value: unknown, by: number): string =>
  json(value, by).replaceAll(/(?<=[:[,] *\n? *)(true|false|null)(?=[,\n\]}])/g, (word) =>
    word === 'null' ? 'None' : word === 'true' ? 'True' : 'False',
  );

function python(call: SampleCall): string {
  const { method, origin, target, headers, body, files, isText } = call;
  const url =
    origin.variable === undefined ? `"${origin.url}${target}"` : `os.environ["${origin.variable}"] + "${target}"`;
  const heads = [
    ...(origin.secret === undefined ? [] : [`"Authorization": "Bearer " + os.environ["${origin.secret}"]`]),
    ...entries(headers).map(([name, value]) => `"${name}": "${value}"`),
    ...(isForm(call)
      ? ['"Content-Type": "multipart/form-data; boundary=form"']
      : body === undefined
        ? []
        : ['"Content-Type": "application/json"']),
  ];
  const form = isForm(call)
    ? [
        'parts = b""',
        `for name, value in ${pythonValue(body, 0)}.items():`,
        '    parts += f\'--form\\r\\nContent-Disposition: form-data; name="{name}"\\r\\n\\r\\n{value}\\r\\n\'.encode()',
        ...entries(files).flatMap(([name, file]) => [
          `parts += b'--form\\r\\nContent-Disposition: form-data; name="${name}"; filename="${file}"\\r\\n'`,
          `parts += b"Content-Type: image/png\\r\\n\\r\\n" + open("${file}", "rb").read() + b"\\r\\n--form--\\r\\n"`,
        ]),
        '',
      ]
    : [];
  return [
    'import json',
    ...(origin.secret === undefined && origin.variable === undefined ? [] : ['import os']),
    'from urllib.request import Request, urlopen',
    '',
    ...form,
    'request = Request(',
    `    ${url},`,
    `    method="${method}",`,
    ...(heads.length === 0 ? [] : [`    headers={${heads.join(', ')}},`]),
    ...(isForm(call)
      ? ['    data=parts,']
      : body === undefined
        ? []
        : [`    data=json.dumps(${pythonValue(body, 4)}).encode(),`]),
    ')',
    'with urlopen(request) as response:',
    isText ? '    print(response.read().decode())' : '    print(json.load(response))',
  ]
    .join('\n')
    .replace(/^import json\n(?=[\s\S]*$)/, (line) => (isText && body === undefined ? '' : line));
}

function go(call: SampleCall): string {
  const { method, origin, target, headers, body, files } = call;
  const url =
    origin.variable === undefined ? `"${origin.url}${target}"` : `os.Getenv("${origin.variable}")+"${target}"`;
  const content = isForm(call) ? '&form' : body === undefined ? 'nil' : `strings.NewReader(\`${json(body)}\`)`;
  const usesOs = origin.secret !== undefined || origin.variable !== undefined || isForm(call);
  const imports = [
    ...(isForm(call) ? ['bytes'] : []),
    'fmt',
    'io',
    ...(isForm(call) ? ['mime/multipart'] : []),
    'net/http',
    ...(usesOs ? ['os'] : []),
    ...(body !== undefined && !isForm(call) ? ['strings'] : []),
  ];
  const form = isForm(call)
    ? [
        'var form bytes.Buffer',
        'writer := multipart.NewWriter(&form)',
        ...entries(body as Record<string, unknown>).map(([name, value]) => `writer.WriteField("${name}", "${value}")`),
        ...entries(files).flatMap(([name, file]) => [
          `part, _ := writer.CreateFormFile("${name}", "${file}")`,
          `file, err := os.ReadFile("${file}")`,
          'if err != nil {',
          '\tpanic(err)',
          '}',
          'part.Write(file)',
        ]),
        'writer.Close()',
      ]
    : [];
  const lines = [
    ...form,
    `request, err := http.NewRequest("${method}", ${url}, ${content})`,
    'if err != nil {',
    '\tpanic(err)',
    '}',
    ...(origin.secret === undefined
      ? []
      : [`request.Header.Set("Authorization", "Bearer "+os.Getenv("${origin.secret}"))`]),
    ...entries(headers).map(([name, value]) => `request.Header.Set("${name}", "${value}")`),
    ...(isForm(call)
      ? ['request.Header.Set("Content-Type", writer.FormDataContentType())']
      : body === undefined
        ? []
        : ['request.Header.Set("Content-Type", "application/json")']),
    'response, err := http.DefaultClient.Do(request)',
    'if err != nil {',
    '\tpanic(err)',
    '}',
    'defer response.Body.Close()',
    'text, _ := io.ReadAll(response.Body)',
    'fmt.Println(response.StatusCode, string(text))',
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...lines.map((line) => `\t${line}`),
    '}',
  ].join('\n');
}

const WRITERS: Readonly<Record<Language, (call: SampleCall) => string>> = {
  curl,
  JavaScript: javaScript,
  Python: python,
  Go: go,
};

export const sampleOf = (language: Language, call: SampleCall): string => WRITERS[language](call);
