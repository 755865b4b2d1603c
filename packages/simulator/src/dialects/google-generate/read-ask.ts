// The neutral view of a generateContent body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import { type Content, contentsOf, partsWith } from './check-contents.ts';
import { declarationsOf } from './check-tools.ts';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_CONTENT = 3;

export function readAsk(body: JsonRecord, model: string): CallFacts {
  const contents = contentsOf(body);
  const config = asRecord(body['generationConfig']);
  const spoken = contents.findLast((content) => content.role !== 'model' && partsWith(content, 'text').length > 0);
  const lastUserText = textOfParts(spoken?.parts ?? []);
  const system = textOfParts(asList(asRecord(body['systemInstruction'])['parts']).map(asRecord));
  return {
    model,
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [system, lastUserText],
    userTexts: userTextsOf(
      contents.map((content) => ({
        text: content.role === 'model' ? undefined : textOfParts(content.parts),
        results: partsWith(content, 'functionResponse').length,
      })),
    ),
    toolResults: closingResults(contents.at(-1)),
    tools: declarationsOf(body).map((declaration) => ({
      name: asText(declaration['name']),
      schema: declaration['parametersJsonSchema'] ?? lowerTypes(declaration['parameters']),
    })),
    toolChoice: readMode(body),
    parallelCalls: true,
    output: readOutput(config),
    wantsPicture: asList(config['responseModalities']).includes('IMAGE'),
    maxTokens: asNumber(config['maxOutputTokens']),
    stop: asList(config['stopSequences'])
      .map(asText)
      .filter((stop) => stop !== ''),
    turn: contents.length,
    promptTokens: countTokens(body),
  };
}

function textOfParts(parts: readonly JsonRecord[]): string {
  return parts
    .map((part) => asText(part['text']))
    .filter((text) => text !== '')
    .join('\n');
}

function closingResults(last: Content | undefined): readonly string[] {
  if (last === undefined || last.role === 'model') return [];
  return partsWith(last, 'functionResponse').map((part) =>
    JSON.stringify(asRecord(part['functionResponse'])['response'] ?? {}),
  );
}

function readMode(body: JsonRecord): CallFacts['toolChoice'] {
  const { mode, allowedFunctionNames } = asRecord(asRecord(body['toolConfig'])['functionCallingConfig']);
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [name] = asList(allowedFunctionNames).map(asText);
  return name === undefined ? 'required' : { name };
}

function readOutput(config: JsonRecord): CallFacts['output'] {
  const type = config['responseMimeType'];
  if (type === 'text/x.enum') return { kind: 'schema', schema: lowerTypes(config['responseSchema']), isBare: true };
  if (type !== 'application/json') return { kind: 'text' };
  const schema = config['responseJsonSchema'] ?? lowerTypes(config['responseSchema']);
  return schema === undefined ? { kind: 'json' } : { kind: 'schema', schema };
}

/** Google writes the types of JSON Schema in capitals. */
function lowerTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerTypes);
  if (!isRecord(schema)) return schema;
  const members = Object.entries(schema).map(([name, value]) => {
    const isType = name === 'type' && typeof value === 'string';
    return [name, isType ? value.toLowerCase() : lowerTypes(value)] as const;
  });
  return Object.fromEntries(members);
}

export function countTokens(body: JsonRecord): number {
  const parts = [body['systemInstruction'], body['contents'], body['tools']].filter((part) => part !== undefined);
  const characters = parts.reduce<number>((sum, part) => sum + JSON.stringify(part).length, 0);
  return asList(body['contents']).length * TOKENS_PER_CONTENT + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
