/** The same call from a terminal and from the official SDKs. The key is written as `TRIVIUM_KEY`. */
import { quoted } from '../../format/shell.ts';
import type { CopyForm } from '../../parts/base/copy.tsx';
import { type Body, targetOf } from './body.ts';
import type { Mode } from './draft.ts';

type Call = { readonly gatewayUrl: string; readonly model: string; readonly body: Body; readonly isStream: boolean };

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** JSON as a literal of Python. */
function python(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((each) => `${inner}${python(each, inner)},\n`).join('')}${indent}]`;
  if (typeof value === 'object')
    return `{\n${Object.entries(value)
      .map(([name, each]) => `${inner}${JSON.stringify(name)}: ${python(each, inner)},\n`)
      .join('')}${indent}}`;
  return JSON.stringify(value);
}

const RECORDING = 'talk.mp3';
const spokenFile = ({ body }: Call): string => `speech.${String(body['response_format'] ?? 'mp3')}`;

function curl(mode: Mode, call: Call, isStrict: boolean): string {
  const { gatewayUrl, model, body, isStream } = call;
  const target = targetOf(mode, model, body, isStrict, isStream);
  const isForm = mode === 'transcription';
  return [
    `curl ${isStream ? '-N ' : ''}${quoted(`${gatewayUrl}${target.path}`)}`,
    '-H "Authorization: Bearer $TRIVIUM_KEY"',
    ...(isForm ? [] : ["-H 'Content-Type: application/json'"]),
    ...Object.entries(target.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(isForm
      ? [
          `-F file=@${RECORDING}`,
          ...Object.entries(target.body).map(([name, value]) => `-F ${quoted(`${name}=${String(value)}`)}`),
        ]
      : [`-d ${quoted(JSON.stringify({ ...target.body, stream_format: undefined }))}`]),
    ...(mode === 'speech' ? [`-o ${spokenFile(call)}`] : []),
  ].join(' \\\n  ');
}

const openaiJs = (gatewayUrl: string): string => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${gatewayUrl}/api/v1', apiKey: process.env.TRIVIUM_KEY });
`;
const openaiPy = (gatewayUrl: string): string => `import os
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/api/v1", api_key=os.environ["TRIVIUM_KEY"])
`;
const anthropicJs = (gatewayUrl: string): string => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${gatewayUrl}/api/anthropic', apiKey: process.env.TRIVIUM_KEY });
`;
const anthropicPy = (gatewayUrl: string): string => `import os
from anthropic import Anthropic

client = Anthropic(base_url="${gatewayUrl}/api/anthropic", api_key=os.environ["TRIVIUM_KEY"])
`;
const genaiJs = (gatewayUrl: string): string => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: process.env.TRIVIUM_KEY, httpOptions: { baseUrl: '${gatewayUrl}' } });
`;
const genaiPy = (gatewayUrl: string): string => `import os
from google import genai

client = genai.Client(api_key=os.environ["TRIVIUM_KEY"], http_options={"base_url": "${gatewayUrl}"})
`;

const cohereJs = (gatewayUrl: string): string => `import { CohereClientV2 } from 'cohere-ai';

const client = new CohereClientV2({ token: process.env.TRIVIUM_KEY, environment: '${gatewayUrl}' });
`;
const coherePy = (gatewayUrl: string): string => `import os
import cohere

client = cohere.ClientV2(api_key=os.environ["TRIVIUM_KEY"], base_url="${gatewayUrl}")
`;

const OPENAI_CALLS: Readonly<Record<'chat' | 'responses' | 'image' | 'speech' | 'transcription', string>> = {
  chat: 'chat.completions.create',
  responses: 'responses.create',
  image: 'images.generate',
  speech: 'audio.speech.create',
  transcription: 'audio.transcriptions.create',
};

/** Python's names of the SDK's arguments; schemas of tools stay as people wrote them. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const snaked = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(snaked)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([name, each]) => [snake(name), name === 'parameters' ? each : snaked(each)]),
        )
      : value;

const pythonArguments = (body: Body): string =>
  Object.entries(body)
    .map(([name, value]) => `    ${name}=${python(value, '    ')},\n`)
    .join('');

function loop(isStream: boolean, language: 'js' | 'py'): string {
  if (language === 'js')
    return isStream ? 'for await (const event of answer) console.log(event);\n' : 'console.log(answer);\n';
  return isStream ? 'for event in answer:\n    print(event)\n' : 'print(answer)\n';
}

function genaiRequest({ model, body }: Call): Body {
  const { contents, systemInstruction, tools, generationConfig } = body;
  const config = {
    ...(generationConfig as object | undefined),
    ...(systemInstruction !== undefined && { systemInstruction }),
    ...(tools !== undefined && { tools }),
  };
  return { model, contents, ...(Object.keys(config).length > 0 && { config }) };
}

function videoRequest({ model, body }: Call): Body {
  // The body may have been changed by hand.
  const [instance] = Array.isArray(body['instances']) ? (body['instances'] as readonly (Body | undefined)[]) : [];
  const { bytesBase64Encoded, mimeType } = (instance?.['image'] ?? {}) as Record<string, unknown>;
  const config = (body['parameters'] ?? {}) as Body;
  return {
    model,
    prompt: instance?.['prompt'],
    ...(bytesBase64Encoded !== undefined && { image: { imageBytes: bytesBase64Encoded, mimeType } }),
    ...(Object.keys(config).length > 0 && { config }),
  };
}

const VIDEO_JS = `
while (!operation.done) {
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  operation = await client.operations.getVideosOperation({ operation });
}
console.log(operation.response?.generatedVideos);
`;
const VIDEO_PY = `
while not operation.done:
    time.sleep(15)
    operation = client.operations.get(operation)
print(operation.response.generated_videos)
`;

function js(mode: Mode, call: Call): string {
  const { model, body, isStream } = call;
  if (mode === 'messages')
    return `${anthropicJs(call.gatewayUrl)}const answer = await client.messages.create(${json({ model, ...body })});\n${loop(isStream, 'js')}`;
  if (mode === 'genai')
    return `${genaiJs(call.gatewayUrl)}const answer = await client.models.generateContent${isStream ? 'Stream' : ''}(${json(genaiRequest(call))});\n${loop(isStream, 'js')}`;
  if (mode === 'video')
    return `${genaiJs(call.gatewayUrl)}let operation = await client.models.generateVideos(${json(videoRequest(call))});${VIDEO_JS}`;
  if (mode === 'rerank') {
    const { top_n: topN, ...rest } = body;
    return `${cohereJs(call.gatewayUrl)}const answer = await client.rerank(${json({ model, ...rest, topN })});\n${loop(false, 'js')}`;
  }
  if (mode === 'speech')
    return `import { writeFile } from 'node:fs/promises';\n${openaiJs(call.gatewayUrl)}const answer = await client.${OPENAI_CALLS[mode]}(${json({ model, ...body })});\nawait writeFile('${spokenFile(call)}', Buffer.from(await answer.arrayBuffer()));\n`;
  if (mode === 'transcription')
    return `import { createReadStream } from 'node:fs';\n${openaiJs(call.gatewayUrl)}const answer = await client.${OPENAI_CALLS[mode]}({\n  file: createReadStream('${RECORDING}'),\n  ...${json({ model, ...body })},\n});\n${loop(false, 'js')}`;
  return `${openaiJs(call.gatewayUrl)}const answer = await client.${OPENAI_CALLS[mode]}(${json({ model, ...body })});\n${loop(isStream, 'js')}`;
}

function py(mode: Mode, call: Call): string {
  const { model, body, isStream } = call;
  if (mode === 'messages')
    return `${anthropicPy(call.gatewayUrl)}answer = client.messages.create(\n${pythonArguments({ model, ...body })})\n${loop(isStream, 'py')}`;
  if (mode === 'genai')
    return `${genaiPy(call.gatewayUrl)}answer = client.models.generate_content${isStream ? '_stream' : ''}(\n${pythonArguments(snaked(genaiRequest(call)) as Body)})\n${loop(isStream, 'py')}`;
  if (mode === 'video')
    return `import time\n${genaiPy(call.gatewayUrl)}operation = client.models.generate_videos(\n${pythonArguments(snaked(videoRequest(call)) as Body)})${VIDEO_PY}`;
  if (mode === 'rerank')
    return `${coherePy(call.gatewayUrl)}answer = client.rerank(\n${pythonArguments({ model, ...body })})\n${loop(false, 'py')}`;
  if (mode === 'speech')
    return `${openaiPy(call.gatewayUrl)}answer = client.${OPENAI_CALLS[mode]}(\n${pythonArguments({ model, ...body })})\nanswer.write_to_file("${spokenFile(call)}")\n`;
  if (mode === 'transcription')
    return `${openaiPy(call.gatewayUrl)}answer = client.${OPENAI_CALLS[mode]}(\n    file=open("${RECORDING}", "rb"),\n${pythonArguments({ model, ...body })})\n${loop(false, 'py')}`;
  return `${openaiPy(call.gatewayUrl)}answer = client.${OPENAI_CALLS[mode]}(\n${pythonArguments({ model, ...body })})\n${loop(isStream, 'py')}`;
}

const SDKS: Readonly<Record<Mode, readonly [string, string]>> = {
  chat: ['JavaScript (openai)', 'Python (openai)'],
  responses: ['JavaScript (openai)', 'Python (openai)'],
  messages: ['JavaScript (@anthropic-ai/sdk)', 'Python (anthropic)'],
  genai: ['JavaScript (@google/genai)', 'Python (google-genai)'],
  image: ['JavaScript (openai)', 'Python (openai)'],
  video: ['JavaScript (@google/genai)', 'Python (google-genai)'],
  speech: ['JavaScript (openai)', 'Python (openai)'],
  transcription: ['JavaScript (openai)', 'Python (openai)'],
  rerank: ['JavaScript (cohere-ai)', 'Python (cohere)'],
};

export const snippetsOf = (mode: Mode, call: Call, isStrict: boolean): readonly CopyForm[] => [
  { name: 'curl', text: () => curl(mode, call, isStrict) },
  { name: SDKS[mode][0], text: () => js(mode, call) },
  { name: SDKS[mode][1], text: () => py(mode, call) },
];
