// The neutral view of a generateContent body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asRecords, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import { contentText, countTokens, stopsIn } from '../read-turns.ts';
import { contentsOf, partsWith } from './check-contents.ts';
import { declarationsOf } from './check-tools.ts';

const textOfParts = (parts: readonly JsonRecord[]): string =>
  contentText(parts.filter((part) => asText(part['text']) !== ''));

export function readAsk(body: JsonRecord, model: string): CallFacts {
  const contents = contentsOf(body);
  const last = contents.at(-1);
  const config = asRecord(body['generationConfig']);
  const { mode, allowedFunctionNames } = asRecord(asRecord(body['toolConfig'])['functionCallingConfig']);
  const [name] = asList(allowedFunctionNames).map(asText);
  const spoken = contents.findLast((content) => content.role !== 'model' && partsWith(content, 'text').length > 0);
  const lastUserText = textOfParts(spoken?.parts ?? []);
  const system = textOfParts(asRecords(asRecord(body['systemInstruction'])['parts']));
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
    toolResults: partsWith(last?.role === 'model' ? undefined : last, 'functionResponse').map((part) =>
      JSON.stringify(asRecord(part['functionResponse'])['response'] ?? {}),
    ),
    tools: declarationsOf(body).map((declaration) => ({
      name: asText(declaration['name']),
      schema: declaration['parametersJsonSchema'] ?? lowerTypes(declaration['parameters']),
    })),
    toolChoice: mode === 'NONE' ? 'none' : mode !== 'ANY' ? 'auto' : name === undefined ? 'required' : { name },
    parallelCalls: true,
    output: readOutput(config),
    wantsPicture: asList(config['responseModalities']).includes('IMAGE'),
    maxTokens: asNumber(config['maxOutputTokens']),
    stop: stopsIn(asList(config['stopSequences'])),
    turn: contents.length,
    promptTokens: countPrompt(body),
  };
}

function readOutput({ responseMimeType: type, responseJsonSchema, responseSchema }: JsonRecord): CallFacts['output'] {
  if (type === 'text/x.enum') return { kind: 'schema', schema: lowerTypes(responseSchema), isBare: true };
  if (type !== 'application/json') return { kind: 'text' };
  const schema = responseJsonSchema ?? lowerTypes(responseSchema);
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

export function countPrompt({ systemInstruction, contents, tools }: JsonRecord): number {
  return countTokens(asList(contents).length, [], [systemInstruction, contents, tools]);
}
